"""An additive mask of -1e9 and a matmul with weights for the mean."""

import math

import torch


def encode_batch(x, lengths, w_qkv):
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)
    scores = scores + padding.unsqueeze(1).to(x.dtype) * -1e9
    context = scores.softmax(dim=-1) @ value
    share = (~padding).to(x.dtype)
    share = share / share.sum(dim=1, keepdim=True)
    return (share.unsqueeze(1) @ context).squeeze(1)


def test_padding_is_inert(encode):
    with torch.no_grad():
        for n in (1, 2, 4):
            x = torch.randn(1, n, 8, dtype=torch.float64)
            alone = encode(x, torch.tensor([n]))
            for extra in (1, 2, 9):
                for scale in (0.0, 1.0, 50.0):
                    padded = torch.cat([x, scale * torch.randn(1, extra, 8, dtype=torch.float64)], dim=1)
                    change = (encode(padded, torch.tensor([n])) - alone).abs().max().item()
                    assert change < 1e-8, f"{extra} columns of padding changed the encoding by {change}"
