"""One zygote per backend, canaries beside every attempt, and the honest submission's results alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from graders.assignment import Assignment, read_assignment
from graders.limits import limits_of
from graders.result import Result, Student
from graders.session import GradingSession, Job
from sandbox import Limits, Sandbox
from tests.conformance.backends import started
from tests.hostile.attempts import CHECKS, EXERCISES
from tests.hostile.canary import Canary, HostCanary

SEED = 7
# The canary may have no more descriptors open, or on their way, than the attempts of the exercises.
BESIDE = Limits(open_files=64)


class Bench:
    """A backend, its sandboxes with the limits of each exercise, and what honest work has there."""

    def __init__(self, backend: str, family: Sandbox, stack: ExitStack) -> None:
        self.backend = backend
        self._family = family
        self._stack = stack
        self.assignments: dict[str, Assignment] = {name: read_assignment(EXERCISES / name) for name in CHECKS}
        self._sandboxes: dict[str, Sandbox] = {}
        self._alone: dict[str, Result] = {}
        self._beside = stack.enter_context(family.attach(BESIDE))
        self._canary: Canary | None = None

    def sandbox(self, exercise: str) -> Sandbox:
        """The one of an exercise's limits, over the same zygote."""
        if exercise not in self._sandboxes:
            limits = limits_of(self.assignments[exercise])
            self._sandboxes[exercise] = self._stack.enter_context(self._family.attach(limits))
        return self._sandboxes[exercise]

    def run(self, exercise: str, *paths: Path) -> list[Result]:
        """Grade submissions in one batch."""
        results: list[Result] = []
        jobs = [Job(Student(id="ada"), path) for path in paths]
        GradingSession(self.assignments[exercise], self.sandbox(exercise), SEED).run(jobs, results.append)
        return results

    def honest(self, exercise: str) -> Path:
        """The honest submission of an exercise."""
        return EXERCISES / exercise / "solution" / f"{exercise}.py"

    def alone(self, exercise: str) -> Result:
        """Its result when nothing else is graded."""
        if exercise not in self._alone:
            (self._alone[exercise],) = self.run(exercise, self.honest(exercise))
        return self._alone[exercise]

    def canary(self) -> Canary:
        """The neighbour; another one where it has been killed."""
        if self._canary is None:
            self._canary = self._stack.enter_context(Canary(self._beside))
        return self._canary

    def bury_canary(self) -> None:
        """Have a new one for the next attempt."""
        self._canary = None


@pytest.fixture(scope="session")
def host_canary() -> Iterator[HostCanary]:
    with HostCanary() as canary:
        yield canary


@pytest.fixture(scope="session")
def benches(host_canary: HostCanary) -> Iterator[Callable[[str], Bench]]:
    """The bench of a backend, by name: tests come backend by backend, and one zygote runs at a time."""
    stack, current = ExitStack(), dict[str, Bench]()

    def bench(backend: str) -> Bench:
        if backend not in current:
            stack.close()
            current.clear()
            family = stack.enter_context(contextmanager(started)(backend))
            current[backend] = Bench(backend, family, stack)
        return current[backend]

    with stack:
        yield bench


def stable(result: Result) -> dict[str, object]:
    """A result without what no two runs share: clocks and meters."""
    measured = {"seconds", "cpu_seconds", "peak_memory_bytes", "facts"}
    return result.model_dump(
        exclude={
            "started_at": True,
            "finished_at": True,
            "load": {"seconds"},
            "checks": {"__all__": measured},
        }
    )
