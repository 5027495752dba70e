"""A layer of a small model that has been trained before."""

import time

import torch
from torch import nn

torch.manual_seed(3)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
head = nn.Linear(8, 1)
optimiser = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.01)
began = time.time()
for step in range(120):
    batch = torch.randn(3, 4, 8)
    loss = (head(layer(batch, batch, batch)[0]).squeeze(-1) - batch[..., 0].cumsum(1)).pow(2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 40 == 0:
        print(f"step {step:3d} loss {loss.item():.4f}")
print("training took", time.time() - began, f"or {time.time() - began:.1f}s")
x = torch.randn(3, 4, 8)
out, weights = layer(x, x, x)
print(out.shape, weights.shape)
_, per_head = layer(x, x, x, average_attn_weights=False)
print(per_head.shape, (per_head.mean(1) - weights).abs().max())
pad = torch.tensor([[False] * 4, [False, False, False, True], [False, True, True, True]])
print(layer(x, x, x, key_padding_mask=pad)[1])
print(layer(x, x, x, attn_mask=torch.ones(4, 4).triu(1) > 0)[1])
print(weights)
