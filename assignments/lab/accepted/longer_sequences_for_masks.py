"""Other batches, and longer ones, for the masks."""

import torch
from torch import nn

g = torch.Generator().manual_seed(9)
torch.manual_seed(9)
layer = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
x = torch.randn(3, 4, 8, generator=g, dtype=torch.float64)
out, weights = layer(x, x, x)
print("step 2", out.shape, weights.shape)
for average in (True, False):
    print("step 3", average, layer(x, x, x, average_attn_weights=average)[1].shape)
y = torch.randn(2, 6, 8, generator=g, dtype=torch.float64)
lengths = torch.tensor([6, 4])
mask = ~(torch.arange(6)[None, :] < lengths[:, None])
print("step 4", layer(y, y, y, key_padding_mask=mask)[1][1, 0])
z = torch.randn(5, 8, generator=g, dtype=torch.float64)
print("step 5", layer(z, z, z, attn_mask=torch.triu(torch.full((5, 5), float("-inf"), dtype=torch.float64), 1))[1], sep="\n")
print("step 6", weights[0])
