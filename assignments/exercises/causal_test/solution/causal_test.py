"""Exercise 2: a minimal test that fails if a causal mask is broken."""

import torch


def check_causal(model):
    """Raise AssertionError unless the logits of `model` are free of later tokens."""
    model.eval()
    length = 10
    ids = torch.randint(0, model.vocab_size, (length,))
    future = torch.ones(length, length, dtype=torch.long).triu(1)
    with torch.no_grad():
        # First the tokens as they are; then, in row t, every token after position t is another one.
        logits = model(torch.cat([ids.unsqueeze(0), (ids + future) % model.vocab_size]))
    moved = (logits[1:] - logits[0]).abs().amax(dim=-1).tril()  # (t, positions up to t)
    assert moved.max() < 1e-4, f"logits moved by {moved.max():.2g} when later tokens changed"
