"""Four checks with 25 cases each; `benchmarks/plain_checks.py` asks the same without Attest."""

from dataclasses import dataclass

import torch
from hypothesis import strategies as st

import reference
from graders import cases, close, fail, fresh_tensor, points, unpack


@dataclass(frozen=True)
class Sizes:
    """One call's sizes and the seed of its numbers."""

    batch: int
    targets: int
    sources: int
    d_k: int
    d_v: int
    seed: int

    def inputs(self):
        return (
            fresh_tensor(self.batch, self.targets, self.d_k, seed=self.seed),
            fresh_tensor(self.batch, self.sources, self.d_k, seed=self.seed + 1),
            fresh_tensor(self.batch, self.sources, self.d_v, seed=self.seed + 2),
        )

    def mask(self):
        generator = torch.Generator().manual_seed(self.seed)
        blocked = torch.rand(self.batch, self.targets, self.sources, generator=generator) < 0.4
        blocked[..., 0] = False  # every target may look at one source at least
        return blocked


def sizes():
    return st.builds(
        Sizes,
        st.integers(2, 3),
        st.integers(2, 5),
        st.integers(6, 9),
        st.integers(2, 5),
        st.integers(6, 9),
        st.integers(0, 2**32 - 1),
    )


def compare(student, *inputs):
    expected = reference.scaled_dot_product_attention(*inputs)
    close(unpack(student.scaled_dot_product_attention(*inputs), "context", "weights"), expected)


@points(2)
@cases(sizes(), n=25)
def test_values(student, case):
    """Context and weights follow the formula."""
    compare(student, *case.inputs())


@points(2)
@cases(sizes(), n=25)
def test_masked_values(student, case):
    """Blocked sources get no weight, and the others share it."""
    compare(student, *case.inputs(), case.mask())


@points(2)
@cases(sizes(), n=25)
def test_large_scores(student, case):
    """Large scores neither overflow nor reach through the mask."""
    query, key, value = case.inputs()
    mask = case.mask()
    answer = student.scaled_dot_product_attention(query * 50, key, value, mask)
    _, weights = unpack(answer, "context", "weights")
    if bool((weights.masked_select(mask).abs() > 1e-6).any()):
        fail("A blocked source has weight.", got=weights)
    close(weights.sum(-1), torch.ones_like(weights[..., 0]), what="the sums of the rows", atol=1e-5)


@points(2)
@cases(sizes(), n=25)
def test_mask_is_broadcast(student, case):
    """One mask for all targets is broadcast."""
    compare(student, *case.inputs(), case.mask()[:, :1])
