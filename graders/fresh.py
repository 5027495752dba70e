"""Fresh random tensors in the dtype that the running check is graded in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

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
    return _drawn(shape, seed % 2**63).to(grading_dtype.get() if dtype is None else dtype, copy=True)


@lru_cache(256)
def _drawn(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Return the values, which every submission is asked about."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
