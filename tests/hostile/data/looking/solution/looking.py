import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
print(layer(x, x, x)[1])
