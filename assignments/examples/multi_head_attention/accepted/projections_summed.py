"""Each head has an output projection of its own, and these are summed, which is the same."""

import torch
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of num_heads ({num_heads})")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        def layers(inputs, outputs, bias=True):
            return nn.ModuleList(nn.Linear(inputs, outputs, bias=bias) for _ in range(num_heads))

        self.q, self.k, self.v = (layers(d_model, self.head_dim) for _ in range(3))
        self.o = layers(self.head_dim, d_model, bias=False)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        output, weights = torch.zeros_like(x), []
        for h in range(self.num_heads):
            scores = torch.baddbmm(
                torch.zeros(1, 1, 1, dtype=x.dtype), self.q[h](x), self.k[h](x).mT, alpha=self.head_dim**-0.5
            )
            if attn_mask is not None:
                scores[attn_mask.expand_as(scores)] = -torch.inf
            if key_padding_mask is not None:
                scores = scores.masked_fill(key_padding_mask[:, None], -torch.inf)
            w = scores.softmax(-1)
            output = output + self.o[h](w @ self.v[h](x))
            weights.append(w)
        return output, torch.stack(weights, 1)
