# Gives a state_dict that is not what it computes with, and ignores the one that it is given.
# kind: fooling the comparison
# exercise: layers
# verdicts: passed failed passed
# says: Wrong values in the output: the largest difference is 2.787 at [0, 0]; -1.874 came, 0.9124 was expected (6 of 6 elements are wrong).
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.by = torch.nn.Parameter(torch.ones(width))
        self.given = {}

    def load_state_dict(self, state, *args, **kwargs):
        self.given = dict(state)

    def state_dict(self, *args, **kwargs):
        return self.given or super().state_dict()

    def forward(self, x):
        return x * self.by
