from dataclasses import dataclass

import torch
from hypothesis import strategies as st

from graders import cases, close, fresh_tensor, points, same


@dataclass(frozen=True)
class Batch:
    x: torch.Tensor
    mask: torch.Tensor


@st.composite
def batches(draw):
    batch, length, width = draw(st.integers(1, 4)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    lengths = torch.tensor([draw(st.integers(1, length)) for _ in range(batch)])
    x = fresh_tensor(batch, length, width, seed=draw(st.integers(0, 2**32 - 1)))
    return Batch(x, torch.arange(length) >= lengths.unsqueeze(1))


@points(3, hint="Divide by the number of real tokens.")
@cases(batches(), n=25)
def test_pool(student, batch):
    """The pooled vector is the mean over real tokens only."""
    real = (~batch.mask).to(batch.x.dtype).unsqueeze(-1)
    close(student.pool(batch.x, batch.mask), (batch.x * real).sum(1) / real.sum(1))


@points(1, requires="test_pool", visibility="hidden")
def test_pool_without_padding(student):
    """Without padding it is the plain mean."""
    x = fresh_tensor(2, 3, 4, seed=2)
    close(student.pool(x, torch.zeros(2, 3, dtype=torch.bool)), x.mean(1))


@points(1)
def test_total_leaves_its_input(student):
    """The total does not change its input."""
    x = fresh_tensor(3, seed=3)
    _, after = student.with_inputs("total", x)
    same(after[0], x, what="the input after the call")


@points(2)
def test_shift_gradient(student):
    """The gradient passes through the shift unchanged."""
    shift = student.build("Shift", width=3)
    close(shift.eval()(torch.zeros(3, dtype=student.dtype)), shift.state_dict()["by"])
    x = fresh_tensor(2, 3, seed=4)
    found = shift.gradients(x, cotangent_seed=5)
    generator = torch.Generator().manual_seed(5)
    expected = torch.randn(2, 3, generator=generator, dtype=torch.float64).to(student.dtype)
    if found.inputs[0] is None:
        raise AssertionError("No gradient reaches the input.")
    close(found.inputs[0], expected)
