# Is a module of ten thousand parameters with endless names, more than can be looked at.
# kind: fooling the comparison
# exercise: layers
# verdicts: passed error|timeout error|timeout
# says: RuntimeError: Error(s) in loading state_dict for Scale:… || Your code was stopped: it had not finished after 1 seconds.
# says: ValueError: the module has 10,101 parameters and buffers; more than 10,000 cannot be looked at || Your code was stopped: it had not finished after 1 seconds.
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.by = torch.nn.Parameter(torch.ones(width))
        for number in range(10_100):
            self.register_parameter(f"{number:050}", torch.nn.Parameter(torch.zeros(1)))

    def forward(self, x):
        return x * self.by
