# Makes modules whose parameters and buffers are no plain tensors, or far too many, or have names without end.
import torch
from torch import nn


class _Buffer(nn.Module):
    def __init__(self, value, name="x"):
        super().__init__()
        self.register_buffer(name, value)

    def forward(self, x):
        return x


def Sparse():
    return _Buffer(torch.zeros(2).to_sparse())


def Meta():
    model = nn.Module()
    model.x = nn.Parameter(torch.zeros(3, device="meta"))
    return model


def Complex():
    return _Buffer(torch.zeros(3, dtype=torch.complex64))


def Nested():
    return _Buffer(torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]))


def Quantized():
    return _Buffer(torch.quantize_per_tensor(torch.zeros(3), 1.0, 0, torch.quint8))


def LongName():
    return _Buffer(torch.zeros(2).to_sparse(), "n" * 4000)


class Many(nn.Module):
    def __init__(self, count=14_000, letters=0):
        super().__init__()
        for number in range(count):
            self.register_parameter(f"{number:0{max(letters, 1)}}", nn.Parameter(torch.zeros(1)))

    def forward(self, x):
        return x


def Letters():
    return Many(1000, 2000)


def SparseGradients():
    return nn.Embedding(3, 2, sparse=True)
