"""Running untrusted code: a zygote forks one confined guest per submission, and the grader asks it questions.

    with Sandbox() as sandbox, sandbox.guest({"answer.py": source}, program) as guest:
        value = guest.call("f", tensor)

Knows nothing of grading.

The names are imported on first use: a zygote can be on its way before its starter has imported torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ahead import Foreseen
    from .answers import (
        CellError,
        CellReport,
        Gradients,
        Kept,
        LoadReport,
        NameInfo,
        Output,
        ParameterInfo,
        Recorded,
        RecordedCall,
        SubmoduleInfo,
        Usage,
    )
    from .backend import BackendOptions
    from .errors import (
        GuestCrashed,
        GuestError,
        GuestGone,
        GuestMemory,
        GuestOutput,
        GuestTimeout,
        HeldMisused,
        NameMissing,
        NoHidden,
        SandboxBroken,
        StudentRaised,
    )
    from .guest import Guest
    from .inside.modules import weighted_sum
    from .inside.questions import Program
    from .inside.values import Opaque, RemoteException, Value
    from .lending import Held, held
    from .limits import Limits
    from .sandboxes import Sandbox

_HOMES = {
    "BackendOptions": ".backend",
    "CellError": ".answers",
    "CellReport": ".answers",
    "Gradients": ".answers",
    "Foreseen": ".ahead",
    "Guest": ".guest",
    "GuestCrashed": ".errors",
    "GuestError": ".errors",
    "GuestGone": ".errors",
    "GuestMemory": ".errors",
    "GuestOutput": ".errors",
    "GuestTimeout": ".errors",
    "Held": ".lending",
    "HeldMisused": ".errors",
    "held": ".lending",
    "Kept": ".answers",
    "Limits": ".limits",
    "LoadReport": ".answers",
    "NameInfo": ".answers",
    "NameMissing": ".errors",
    "NoHidden": ".errors",
    "Opaque": ".inside.values",
    "Output": ".answers",
    "ParameterInfo": ".answers",
    "Program": ".inside.questions",
    "Recorded": ".answers",
    "RecordedCall": ".answers",
    "RemoteException": ".inside.values",
    "Sandbox": ".sandboxes",
    "SandboxBroken": ".errors",
    "StudentRaised": ".errors",
    "SubmoduleInfo": ".answers",
    "Usage": ".answers",
    "Value": ".inside.values",
    "weighted_sum": ".inside.modules",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


__all__ = [
    "BackendOptions",
    "CellError",
    "CellReport",
    "Foreseen",
    "Gradients",
    "Guest",
    "GuestCrashed",
    "GuestError",
    "GuestGone",
    "GuestMemory",
    "GuestOutput",
    "GuestTimeout",
    "Held",
    "HeldMisused",
    "Kept",
    "Limits",
    "LoadReport",
    "NameInfo",
    "NameMissing",
    "NoHidden",
    "Opaque",
    "Output",
    "ParameterInfo",
    "Program",
    "Recorded",
    "RecordedCall",
    "RemoteException",
    "Sandbox",
    "SandboxBroken",
    "StudentRaised",
    "SubmoduleInfo",
    "Usage",
    "Value",
    "held",
    "weighted_sum",
]
