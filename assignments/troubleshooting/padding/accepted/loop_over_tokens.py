"""A loop over rows and tokens, with typed arguments."""

import math

import torch


def encode_batch(x: torch.Tensor, lengths: torch.Tensor, w_qkv: torch.Tensor) -> torch.Tensor:
    d = x.shape[2]
    result = []
    for i in range(x.shape[0]):
        n = int(lengths[i])
        total = torch.zeros(d, dtype=x.dtype)
        keys, values = x[i, :n] @ w_qkv[:, d : 2 * d], x[i, :n] @ w_qkv[:, 2 * d :]
        for t in range(n):
            query = x[i, t] @ w_qkv[:, :d]
            total = total + torch.softmax(keys @ query / math.sqrt(d), dim=0) @ values
        result.append(total / n)
    return torch.stack(result)


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
