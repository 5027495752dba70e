"""What was asked of the sandbox on the command line, as the sandbox takes it; what is said of having none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attest.entry import Confined
from graders.assignment import Assignment
from graders.secrets import secret_paths
from sandbox.backend import BackendOptions

if TYPE_CHECKING:
    from rich.console import Console

NO_ISOLATION = (
    "NO ISOLATION: nothing is kept from the code that runs. "
    "It may read, change and send away whatever you may."
)


def warn_of_no_isolation(backend: str, trusted: bool, errors: Console) -> None:
    """Say it loudly, where a backend is about to run code that nothing is kept from."""
    if backend == "none" and trusted:
        errors.print(NO_ISOLATION, style="bold red", soft_wrap=True)


def options_of(
    asked: Confined, assignment: Assignment, given: Iterable[Path] = (), *, own: bool = False
) -> BackendOptions:
    """Return how the backend is to work; `given` are what the grader was given and where it writes.

    `own` says that the code is the user's own, so that naming the backend `none` is enough.
    """
    return BackendOptions(
        isolation=asked.isolation.value,
        runtime=asked.runtime,
        device=asked.device.value,
        trust=asked.trust or own,
        secrets=secret_paths(assignment, given),
    )
