"""Exercise 2: a minimal test that fails if a causal mask is broken."""

import torch


def check_causal(model):
    """Raise AssertionError unless the logits of `model` are free of later tokens."""
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 12))
    with torch.no_grad():
        logits = model(ids)
        for length in (1, 6, 11):
            changed = ids.clone()
            changed[:, length:] = (changed[:, length:] + 1) % model.vocab_size
            torch.testing.assert_close(model(changed)[:, :length], logits[:, :length], rtol=1e-4, atol=1e-4)
