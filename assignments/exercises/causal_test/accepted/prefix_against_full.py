"""Each prefix by itself gives the logits of the whole sequence."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (1, 6))
    with torch.no_grad():
        full = model(ids)
        for length in range(1, 6):
            assert torch.allclose(model(ids[:, :length]), full[:, :length], atol=1e-4), f"prefix of {length}"
