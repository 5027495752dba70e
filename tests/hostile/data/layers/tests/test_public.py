import torch

from graders import close, points


@points(1)
def test_ones(student):
    """A new layer changes nothing."""
    x = torch.tensor([1.0, 2.0, 3.0], dtype=student.dtype)
    close(student.build("Scale", 3)(x), x)
