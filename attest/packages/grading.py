"""Grading one submission inside a package, by the strongest backend that the place allows.

The grading runs in processes of its own: one that dies costs a retry, and then a Result that says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from attest.seeds import new_seed
from graders.assignment import Assignment
from graders.cohort import CohortRun, PoolError, Request
from graders.output import Output
from graders.reading import Found
from graders.result import Result
from graders.secrets import secret_paths
from reports import report_name
from sandbox.backend import BackendOptions
from sandbox.errors import SandboxBroken
from sandbox.fitness import parts

STRONGEST_FIRST = ("bubblewrap", "user")


@dataclass(frozen=True)
class Place:
    """Where a package is at work: what no submission may read there, and for how long one may be graded."""

    secrets: tuple[Path, ...]
    patience_seconds: float


def backends_here() -> Iterator[str]:
    """Yield the backends that this place allows, the strongest first. Raises SandboxBroken where none is."""
    reasons = []
    works = False
    for backend in STRONGEST_FIRST:
        missing = next((part for part in parts(backend) if not part.ok), None)
        if missing is None:
            works = True
            yield backend
        else:
            reasons.append(f"{backend}: {missing.name}: {missing.found}")
    if not works:
        raise SandboxBroken(f"no sandbox can be built here ({'; '.join(reasons)})")


def by_strongest(grade: Callable[[str], Result], failing: type[Exception]) -> Result:
    """Return what comes of grading by the strongest backend that works; where none does, raise its failure.

    A backend that seems to be allowed may turn out not to be, which raises `failing`; then the next has its
    try. Raises SandboxBroken where none is allowed.
    """
    first: Exception | None = None
    for backend in backends_here():
        try:
            return grade(backend)
        except failing as error:
            first = first or error
    assert first is not None
    raise first


def grade_one(assignment: Assignment, found: Found, place: Place) -> Result:
    """Return the Result of one submission. Raises SandboxBroken, PoolError and AssignmentError."""
    return by_strongest(lambda backend: _graded(assignment, found, place, backend), PoolError)


def _graded(assignment: Assignment, found: Found, place: Place, backend: str) -> Result:
    with tempfile.TemporaryDirectory(prefix="attest-graded-") as folder:
        out = Path(folder)
        secrets = secret_paths(assignment, [*place.secrets, out])
        request = Request(
            assignment,
            (found,),
            new_seed(),
            1,
            backend,
            options=BackendOptions(secrets=secrets),
            patience_seconds=place.patience_seconds,
        )
        with Output(out, "replace", report_name) as opened, CohortRun(request, opened) as running:
            results = [progress.result for progress in running if progress.result is not None]
    return results[0]
