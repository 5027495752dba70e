# Wraps attention so that the weights it gives are not those it computed with.
# kind: fooling the comparison
# exercise: looking
# verdicts: passed failed
# says: No row of the weights that were computed is printed.
import torch
from torch import nn

honest = nn.MultiheadAttention.forward


def forward(self, *args, **kwargs):
    output, _ = honest(self, *args, **kwargs)
    return output, torch.eye(4).expand(3, 4, 4)


nn.MultiheadAttention.forward = forward
torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
layer.register_forward_hook(lambda module, given, answer: (answer[0], torch.eye(4).expand(3, 4, 4)))
print(layer(x, x, x)[1])
