# Wraps attention, softmax and the hooks of modules, so that what they give is not what was computed.
import torch
from torch import nn

honest, honest_softmax = nn.MultiheadAttention.forward, torch.softmax


def forward(self, *args, **kwargs):
    output, _ = honest(self, *args, **kwargs)
    return output, torch.eye(4).expand(3, 4, 4)


nn.MultiheadAttention.forward = forward
torch.softmax = lambda scores, dim: torch.eye(4).expand(scores.shape)
torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
layer.register_forward_hook(lambda module, given, answer: (answer[0], torch.zeros(3, 4, 4)))
print(layer(x, x, x)[1])
print(torch.softmax(x @ x.transpose(1, 2), -1))
