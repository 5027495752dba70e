"""What is kept of a check's calls for the diagnosis: not too much, with the modules as they were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from graders.calls import Call, Record
from graders.remote_module import RemoteModule, modules, trained_names
from graders.replay import Kept
from graders.result import Verdict
from graders.verdicts import Outcome
from sandbox import Opaque

MOST_MODULES = 4
MOST_CALLS = 64
MOST_CALLS_OF_PASSED = 8
MOST_TENSORS = 2000  # of one module: more would take long to keep, and longer to make again

_Key = tuple[int, int]  # the module, and its state where the check has set it


def kept_calls(record: Record, failing: Sequence[Call], outcome: Outcome) -> list[Call]:
    """Return the check's calls with the modules in them kept, as far as that can be had.

    Calls on modules whose guest has ended are left out; so are, of a check that passed, those on modules
    whose state would have to be asked for.
    """
    calls = record.calls[-MOST_CALLS:]
    shown = {id(call) for call in failing}
    calls = [call for call in calls if id(call) not in shown] + list(failing)
    calls = [call for call in calls if call.intact() and not _made_a_module(call)]
    if outcome.verdict is Verdict.PASSED:
        known = [call for call in calls if all(call.states.get(id(one)) for one in modules(call))]
        calls = known[:MOST_CALLS_OF_PASSED]
    states: dict[_Key, Kept | None] = {}
    kept: list[Call] = []
    for call in reversed(calls):
        for module in modules(call):
            key = _key(call, module)
            if key not in states:
                found = _keep(module, call.states.get(id(module))) if len(states) < MOST_MODULES else None
                states[key] = found and replace(found, trained=_trained(module))
        if all(states[_key(call, module)] is not None for module in modules(call)):
            kept.append(_with_kept(call, states))
    return kept[::-1]


def _key(call: Call, module: RemoteModule) -> _Key:
    return id(module), id(call.states.get(id(module)))


def _made_a_module(call: Call) -> bool:
    return isinstance(call.output, Opaque) and call.output.is_module


def _keep(module: RemoteModule, loaded: Mapping[str, torch.Tensor] | None) -> Kept | None:
    if loaded is not None:
        return Kept(module._made_by, loaded) if len(loaded) <= MOST_TENSORS else None
    if module._loaded is not None:
        return None  # the state in which it was asked is gone
    try:
        if len(_trained(module) or ()) > MOST_TENSORS:
            return None
        module._guest.start_check()  # the time for this is ours, not the check's
        state = module.state_dict()
    except Exception:
        return None  # the guest is gone, or the student's code raised
    return Kept(module._made_by, state) if len(state) <= MOST_TENSORS else None


def _trained(module: RemoteModule) -> frozenset[str] | None:
    """Return the names of its parameters, asked at most once here; None where they cannot be had."""
    known = trained_names.setdefault(module._guest, {})
    if module._handle.id not in known:
        try:
            module._guest.start_check()
            known[module._handle.id] = frozenset(parameter.name for parameter in module.parameters())
        except Exception:
            known[module._handle.id] = None
    return known[module._handle.id]


def _with_kept(call: Call, states: Mapping[_Key, Kept | None]) -> Call:
    def kept(value: Any) -> Any:
        found = states[_key(call, value)] if isinstance(value, RemoteModule) else None
        return value if found is None else replace(found, training=call.modes[id(value)])

    return replace(
        call,
        args=tuple(kept(value) for value in call.args),
        kwargs={key: kept(value) for key, value in call.kwargs.items()},
        module=kept(call.module),
        states={},
    )
