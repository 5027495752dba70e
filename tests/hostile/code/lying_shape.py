# Returns a tensor of a wrong shape whose class says that the shape and dtype are right.
# kind: fooling the comparison
# verdicts: failed
# says: Wrong shape for the output: (7, 7) came; (1, 1) was expected. Judged in float32.
import torch


class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size([1, 1]))
    dtype = property(lambda self: torch.float64)

    def size(self, *args):
        return torch.Size([1, 1])


def pool(hidden, padding):
    return torch.full((7, 7), 2.0).as_subclass(Liar)
