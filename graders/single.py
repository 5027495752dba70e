"""Asking a module once in float32, which is what it will be used in.

Checks ask in float64, so that a mistake is not taken for rounding. Then work that goes wrong in float32 alone
would never be seen: one question in float32 is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import torch

from graders.comparing import CheckFailure
from graders.remote_module import RemoteModule
from sandbox.errors import StudentRaised

Answer = TypeVar("Answer")

NEAR = 1e-4  # float32 answers lie within 1e-5 of those in float64; a mask that is lost moves them by 1e-2


def in_float32(
    module: RemoteModule,
    state: Mapping[str, torch.Tensor],
    ask: Callable[[RemoteModule], Answer],
    remake: Callable[[], RemoteModule],
) -> Answer:
    """Return what `ask` answers while `module` is in float32; afterwards it is as it was, with `state`.

    What a module keeps from earlier calls may be float64 still (a mask, a table of positions). So where it
    raises, a new one from `remake` is asked, which has not been called before.
    """
    module.to(torch.float32)
    try:
        answer = ask(module)
    except (StudentRaised, CheckFailure) as failure:
        restore(module, state)
        if isinstance(failure, CheckFailure):
            raise
        new = remake().to(torch.float32)
        new.load_state_dict({name: single(value) for name, value in state.items()})
        return ask(new)
    restore(module, state)
    return answer


def restore(module: RemoteModule, state: Mapping[str, torch.Tensor]) -> None:
    module.double()
    module.load_state_dict(state)


def single(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.is_floating_point() else value


def far(got: torch.Tensor, expected: torch.Tensor) -> float:
    """How far float32 answers are from float64 ones, next to values of size one; NaN counts as infinite."""
    size = max(1.0, float(expected.abs().max()))
    return float((got.double() - expected.double()).abs().nan_to_num(nan=torch.inf).max()) / size
