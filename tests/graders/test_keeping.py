"""What is kept for the diagnosis: nothing that would take long."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from graders import keeping
from graders.calls import Call


class Guest:
    def start_check(self) -> None:
        pass


class Module:
    _loaded = None
    _made_by = Call("Model", (), {})

    def __init__(self, parameters: int, buffers: int = 0) -> None:
        self._guest, self._handle = Guest(), SimpleNamespace(id=1)
        self._names = [str(number) for number in range(parameters)]
        self._all = [str(number) for number in range(parameters + buffers)]
        self.asked = 0

    def parameters(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in self._names]

    def state_dict(self) -> dict[str, torch.Tensor]:
        self.asked += 1
        return dict.fromkeys(self._all, torch.zeros(1))


def keep(module: Module, loaded: dict[str, torch.Tensor] | None = None) -> Any:
    return keeping._keep(module, loaded)  # type: ignore[arg-type]


def test_a_state_is_kept() -> None:
    assert len(keep(Module(3, 2)).state) == 5
    assert len(keep(Module(3), {"x": torch.zeros(1)}).state) == 1


@pytest.mark.parametrize(("parameters", "buffers", "asked"), [(2001, 0, 0), (0, 2001, 1)])
def test_a_state_of_too_many_tensors_is_not(parameters: int, buffers: int, asked: int) -> None:
    module = Module(parameters, buffers)
    assert keep(module) is None
    assert module.asked == asked
    assert keep(module, dict.fromkeys(map(str, range(2001)), torch.zeros(1))) is None
