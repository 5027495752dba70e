"""Running untrusted code: a zygote forks one confined guest per submission, and the grader asks it questions.

    with Sandbox() as sandbox, sandbox.guest({"answer.py": source}, program) as guest:
        value = guest.call("f", tensor)

Knows nothing of grading.
"""

from .answers import (
    CellError,
    CellReport,
    Gradients,
    Kept,
    LoadReport,
    NameInfo,
    Output,
    ParameterInfo,
    SubmoduleInfo,
    Usage,
)
from .errors import (
    GuestCrashed,
    GuestError,
    GuestGone,
    GuestMemory,
    GuestOutput,
    GuestTimeout,
    NameMissing,
    NoHidden,
    SandboxBroken,
    StudentRaised,
)
from .guest import Guest
from .inside.modules import weighted_sum
from .inside.questions import Program
from .inside.values import Opaque, RemoteException, Value
from .limits import Limits
from .sandboxes import Sandbox

__all__ = [
    "CellError",
    "CellReport",
    "Gradients",
    "Guest",
    "GuestCrashed",
    "GuestError",
    "GuestGone",
    "GuestMemory",
    "GuestOutput",
    "GuestTimeout",
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
    "RemoteException",
    "Sandbox",
    "SandboxBroken",
    "StudentRaised",
    "SubmoduleInfo",
    "Usage",
    "Value",
    "weighted_sum",
]
