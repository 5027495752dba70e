"""Values that may come from a student: right ones, and everything else."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from sandbox import Opaque, RemoteException

FLOATS = st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16])
SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@st.composite
def float_tensors(draw: st.DrawFn, dtype: torch.dtype | None = None) -> torch.Tensor:
    shape = draw(SHAPES)
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype or draw(FLOATS))


GARBAGE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.builds(lambda: 10**5000),
        st.floats(),
        st.text(),
        st.binary(),
        float_tensors(),
        st.just(torch.tensor([float("nan"), float("inf")], dtype=torch.float64)),
        st.just(torch.zeros(2, 0, dtype=torch.int8)),
        st.just(torch.tensor(True)),
        st.just(torch.float32),
        st.just(Opaque(1, "numpy.ndarray", False, "numpy.ndarray of shape (2, 3)")),
        st.just(RemoteException("ValueError", "no")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(), inner, max_size=2)
    ),
    max_leaves=6,
)
