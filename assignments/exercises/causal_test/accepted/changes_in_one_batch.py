"""All changes are rows of one batch."""

import torch


def check_causal(model, length: int = 8) -> None:
    model.eval()
    ids = torch.randint(0, model.vocab_size, (length,))
    rows = ids.repeat(length, 1)  # row t has another token at position t
    rows[torch.arange(length), torch.arange(length)] = (ids + 1) % model.vocab_size
    with torch.no_grad():
        logits = model(torch.cat([ids[None], rows]))
    moved = (logits[1:] - logits[:1]).abs().amax(-1) > 1e-4  # (changed position, position)
    assert not moved.tril(-1).any(), moved.int()
