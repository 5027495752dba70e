"""A subclass that keeps its last weights, and hooks."""

import torch
from torch import nn


class Watched(nn.MultiheadAttention):
    def forward(self, *args, **kwargs):
        kwargs.setdefault("average_attn_weights", False)
        out, self.seen = super().forward(*args, **kwargs)
        return out, self.seen


torch.manual_seed(8)
layer = Watched(8, 2, batch_first=True)
calls = []
layer.register_forward_hook(lambda module, given, answer: calls.append(answer[1]))
x = torch.randn(3, 4, 8)
print(layer(x, x, x)[0].shape, layer.seen.mean(1).shape, layer.seen.shape)
average = layer(x, x, x, average_attn_weights=True)[1]
print(bool(torch.isclose(calls[0].mean(1), average, atol=1e-6).all()))
mask = torch.zeros(3, 4).bool()
mask[2, 1:] = True
layer(x, x, x, key_padding_mask=mask)
print(layer.seen[2, 0])
layer(x, x, x, attn_mask=~torch.ones(4, 4).tril().bool())
print(layer.seen[0, 1])
print(average[0, 2])
print(len(calls), "calls")
