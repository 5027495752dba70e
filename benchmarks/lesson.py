"""The processor time of the whole lesson: all its checks, on one notebook with every model solution.

Processor time and not time on the clock: what a cohort costs is the time of its cores. A busy machine moves
it as well, since programs share the caches, so the floor's is measured beside it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks import floor
from graders.assignment import Assignment
from graders.limits import limits_of
from graders.result import Result, Student, Verdict
from graders.session import GradingSession, Job
from graders.starters import as_notebook
from sandbox import Sandbox
from sandbox.exchange import Exchange

WARM_UP = 2  # the first submission draws the cases


@dataclass(frozen=True)
class Processor:
    """Medians per submission, in processor seconds."""

    checks: int
    grader: float  # reading, all checks, the Result
    guest: float  # in the checks; loading the notebook is the student's program, and is not in it
    floor: float  # the five checks of the floor, in this process

    @property
    def seconds(self) -> float:
        """Return what grader and guest take together."""
        return self.grader + self.guest


def one_notebook(assignment: Assignment) -> str:
    """Return a notebook with every exercise's model solution, a cell for each."""
    cells = []
    for exercise in assignment.exercises:
        path = exercise.solutions[0]
        kind = "markdown" if path.suffix == ".md" else "code"
        cells.append({"cell_type": kind, "metadata": {}, "source": path.read_text(encoding="utf-8")})
    whole = json.loads(as_notebook(""))
    for number, cell in enumerate(cells):
        own = {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}
        whole["cells"].append(cell | own | {"id": f"cell-{number}"})
    return json.dumps(whole)


def measure(
    assignment: Assignment,
    seed: int,
    folder: Path,
    *,
    copies: int,
    checks: list[floor.Check],
    right: list[Path],
) -> Processor:
    """Grade `copies` of the notebook in a session of its own, by turns with the floor's `checks` on `right`.

    The processor time that the grader spends for a guest counts as the guest's too (`Exchange.lend`), and
    is taken away once.
    """
    folder.mkdir()
    path = folder / "lesson.ipynb"
    path.write_text(one_notebook(assignment), encoding="utf-8")
    grader: list[float] = []
    guest: list[float] = []
    floors: list[float] = []
    counts: set[int] = set()
    began = 0.0

    def jobs() -> Iterator[Job]:
        nonlocal began
        for number in range(copies + WARM_UP):
            lent.clear()
            began = time.process_time()
            yield Job(Student(id=str(number)), path)

    def sink(result: Result) -> None:
        grader.append(time.process_time() - began)
        guest.append(sum(check.cpu_seconds for check in result.checks) - sum(lent))
        counts.add(sum(check.verdict is Verdict.PASSED for check in result.checks))
        if len(result.checks) not in counts or len(counts) > 1:
            raise RuntimeError(f"the lesson's own solutions pass {counts} of {len(result.checks)} checks")
        started = time.process_time()
        for submission in right:
            floor.run_checks(checks, submission)
        floors.append((time.process_time() - started) / len(right))

    with Sandbox("bubblewrap", limits_of(assignment)) as sandbox, _lent() as lent:
        GradingSession(assignment, sandbox, seed).run(jobs(), sink)
    steady = (median(values[WARM_UP:]) for values in (grader, guest, floors))
    return Processor(counts.pop(), *steady)


@contextmanager
def _lent() -> Iterator[list[float]]:
    """Note the processor seconds that grader and guest both count."""
    found: list[float] = []
    lend = Exchange.lend

    def noted(exchange: Exchange, taken: float, seconds: float, cpu_seconds: float) -> None:
        found.append(taken)
        lend(exchange, taken, seconds, cpu_seconds)

    setattr(Exchange, "lend", noted)  # noqa: B010 - a method, which mypy does not let be assigned
    try:
        yield found
    finally:
        setattr(Exchange, "lend", lend)  # noqa: B010
