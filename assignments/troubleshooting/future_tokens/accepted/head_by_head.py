"""A loop over heads and targets."""

import torch


def decoder_attention(x: torch.Tensor, w_qkv: torch.Tensor, w_out: torch.Tensor, num_heads: int) -> torch.Tensor:
    _, length, d_model = x.shape
    dim = d_model // num_heads
    outs = []
    for h in range(num_heads):
        q = x @ w_qkv[:, h * dim : (h + 1) * dim]
        k = x @ w_qkv[:, d_model + h * dim : d_model + (h + 1) * dim]
        v = x @ w_qkv[:, 2 * d_model + h * dim : 2 * d_model + (h + 1) * dim]
        rows = []
        for t in range(length):
            s = (q[:, t : t + 1] * k[:, : t + 1]).sum(-1) / dim**0.5
            rows.append((s.softmax(-1).unsqueeze(-1) * v[:, : t + 1]).sum(1))
        outs.append(torch.stack(rows, dim=1))
    return torch.cat(outs, dim=-1) @ w_out


def test_no_future(attention: object) -> None:
    for length in (3, 19):
        x = torch.randn(1, length, 8)
        batch = x.repeat(length, 1, 1)
        for prefix in range(1, length):
            batch[prefix, prefix:] = -batch[prefix, prefix:]
        out = attention(batch)
        for prefix in range(1, length):
            diff = (out[prefix, :prefix] - out[0, :prefix]).abs().max()
            if diff > 1e-4:
                raise AssertionError(f"leak of {diff.item():.3g} before position {prefix}")
