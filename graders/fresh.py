"""Fresh random tensors in the dtype that the running check is graded in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

grading_dtype: ContextVar[torch.dtype] = ContextVar("grading_dtype", default=torch.float64)


@contextmanager
def drawn_in(dtype: torch.dtype) -> Iterator[None]:
    """Make `dtype` the grading dtype meanwhile."""
    token = grading_dtype.set(dtype)
    try:
        yield
    finally:
        grading_dtype.reset(token)


def fresh_tensor(*shape: int, seed: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return a tensor of `shape` with standard normal values, the same for the same seed.

    Drawn in float64, then cast to `dtype` (default: the grading dtype), so that a float32 repetition
    of a check sees the same numbers.
    """
    generator = torch.Generator().manual_seed(seed % 2**63)
    values = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return values.to(grading_dtype.get() if dtype is None else dtype)
