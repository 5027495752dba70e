"""Reshape and permute."""

import torch


def split_heads(x, num_heads):
    if x.size(-1) % num_heads:
        raise ValueError("embed_dim (%d) must be a multiple of num_heads (%d)" % (x.size(-1), num_heads))
    return x.reshape(x.size(0), x.size(1), num_heads, -1).permute(0, 2, 1, 3).contiguous()


def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 1, 3).contiguous().view(b, t, h * d)


def test_heads(split_heads, merge_heads):
    for batch, length, d_model, heads in ((1, 2, 4, 2), (3, 5, 12, 3), (2, 1, 8, 8)):
        x = torch.arange(batch * length * d_model).view(batch, length, d_model).float()
        s = split_heads(x, heads)
        dim = d_model // heads
        assert s.shape == (batch, heads, length, dim)
        for b in range(batch):
            for h in range(heads):
                for t in range(length):
                    assert s[b, h, t].tolist() == x[b, t, h * dim : (h + 1) * dim].tolist()
        assert merge_heads(s).tolist() == x.tolist()
    for d_model, heads in ((10, 4), (7, 2)):
        raised = False
        try:
            split_heads(torch.zeros(1, 2, d_model), heads)
        except ValueError as e:
            raised = str(d_model) in str(e) and str(heads) in str(e)
        assert raised, "embed_dim not divisible by num_heads must be an error"
