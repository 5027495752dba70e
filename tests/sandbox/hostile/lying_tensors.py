# Returns tensors that lie: a subclass whose every operation says what the caller wants to hear.
import torch


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (
            torch.allclose,
            torch.equal,
            torch.Tensor.equal,
            torch.Tensor.allclose,
            torch.Tensor.__eq__,
        ):
            return True
        return torch.ones(3)

    @property
    def shape(self):
        return torch.Size([100, 100])

    @property
    def dtype(self):
        return torch.float64

    def __eq__(self, other):
        return True

    def __len__(self):
        return 100

    def numpy(self):
        return None

    def __reduce__(self):
        return (print, ("pickled",))

    def __array__(self, *args):
        return None


class Wrapped(torch.Tensor):
    """Has no data: __torch_dispatch__ would make it up."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (2, 2), dtype=torch.float32)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return torch.ones(2, 2)


def subclass():
    return torch.arange(3.0).as_subclass(Liar)


def wrapped():
    return Wrapped()


def parameter():
    return torch.nn.Parameter(torch.arange(3.0))


def strided():
    return torch.arange(6.0).reshape(2, 3).t()[::2]


def expanded():
    return torch.ones(1, 1).expand(4, 4)


def requires_grad():
    return torch.ones(2, requires_grad=True) * 2


def sparse():
    return torch.eye(3).to_sparse()


def meta():
    return torch.ones(3, device="meta")


def nested():
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def quantized():
    return torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)


def complex_():
    return torch.ones(2, dtype=torch.complex128)


def conjugate():
    return torch.ones(2, dtype=torch.complex64).conj()


def bad_bools():
    return torch.tensor([7, 0, 255], dtype=torch.uint8).view(torch.bool)


def too_large():
    return torch.ones(1).expand(300 * 2**20)


KEPT = torch.zeros(3)


def shared():
    """A result that the student changes afterwards."""
    return KEPT


def change():
    KEPT.fill_(7.0)
