import torch


def total(x):
    return x.sum()


def pool(x, mask):
    real = (~mask).to(x.dtype).unsqueeze(-1)
    return x.mean(dim=1)


class Shift(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.by = torch.nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x + self.by
