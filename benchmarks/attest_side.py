"""Attest's own times: a cohort run as `attest grade` makes it, and the parts of one submission.

The run is timed from outside, result by result: reading, guest, checks, Result and reports on the disk.
The parts are timed in a session of its own in this process, which the timers make a little slower.
"""

from __future__ import annotations

import functools
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.assignment import Assignment
from graders.cohort import CohortRun, Request
from graders.output import Output
from graders.reading import find_submissions
from graders.result import Result, Status, Student, Verdict, write_result
from reports import report_name, write_student_report
from sandbox import Sandbox
from sandbox.inside.meter import Meter

FINISH = "reports:write_student_report"
CALLS = "calls over the wire: values there, student's code, values back"
EACH_CALL = "each call"
GUEST = "forking, confining and loading the guest"


@dataclass(frozen=True)
class Run:
    """One cohort run with one worker."""

    start_seconds: float  # until the first result: Python, torch, zygote, collecting, drawing cases
    seconds: dict[str, list[float]]  # submission → wall seconds of each of its copies
    passed: dict[str, int]  # submission → checks passed


def time_cohort(assignment: Assignment, submissions: list[Path], copies: int, seed: int, folder: Path) -> Run:
    """Grade `copies` of each submission, one at a time, with reports; the first of all only warms up."""
    cohort = folder / "cohort"
    cohort.mkdir()
    shutil.copy(submissions[0], cohort / f"000-warm{submissions[0].suffix}")
    for copy in range(copies):
        for path in submissions:
            shutil.copy(path, cohort / f"{copy + 1:03}-{path.name}")
    found = find_submissions([cohort], assignment.files).found
    seconds: dict[str, list[float]] = defaultdict(list)
    passed: dict[str, int] = {}
    began = last = time.perf_counter()
    first = 0.0
    request = Request(assignment, tuple(found), seed, 1, finish=FINISH)
    with Output(folder / "out", "resume", report_name) as out, CohortRun(request, out) as running:
        for progress in running:
            if progress.result is None:
                continue
            now = time.perf_counter()
            name = progress.result.student.id.partition("-")[2]
            if name == "warm":
                first = now - began
            else:
                seconds[name].append(now - last)
                passed[name] = _passed(progress.result)
            last = now
    return Run(first, dict(seconds), passed)


def time_parts(
    assignment: Assignment, submissions: list[Path], copies: int, seed: int, folder: Path
) -> dict[str, float]:
    """Return mean seconds per submission by part, over submissions that pass everything."""
    from graders.session import GradingSession, Job

    timer = _Timer()
    jobs = [
        Job(Student(id=f"{copy}-{path.stem}"), path) for copy in range(copies + 1) for path in submissions
    ]
    counted = len(submissions) * copies
    folder.mkdir()

    def sink(result: Result) -> None:
        if result.status is not Status.GRADED:
            raise RuntimeError(f"{result.student.id} was not graded: {result.internal}")
        with timer.part("result on the disk (fsync)"):
            write_result(result, folder / f"{result.student.id}.json")
        with timer.part("student's page and text"):
            write_student_report(result, folder)
        if result.student.id.startswith("0-"):  # the first round warms up
            timer.seconds.clear()
            timer.counts.clear()

    with Sandbox() as sandbox, timer.watching():
        GradingSession(assignment, sandbox, seed).run(jobs, sink)
    parts = {name: seconds / counted for name, seconds in timer.seconds.items()}
    checks = parts.pop("checks")
    # The guest is made when the first check asks for it, and so within the checks' time.
    parts["checks in the grader: inputs, reference, comparing, pytest"] = checks - parts[CALLS] - parts[GUEST]
    parts[EACH_CALL] = timer.seconds[CALLS] / timer.counts[CALLS]
    return parts


def added_private_memory(path: Path) -> int:
    """Return bytes of private memory that one guest adds, after it was loaded and has answered calls."""
    import torch

    from graders.reading import read_submission

    with Sandbox() as sandbox:
        sandbox.start()
        _open_and_call(sandbox, read_submission, path, torch).close()  # what the zygote itself grows by once
        before = _private_by_process()
        guest = _open_and_call(sandbox, read_submission, path, torch)
        after = _private_by_process()
        guest.close()
    grown = sum(max(0, after[pid] - before.get(pid, 0)) for pid in after)
    if len(after) <= len(before):
        raise RuntimeError("no process was found for the guest")
    return grown


def _open_and_call(sandbox: Sandbox, read: Callable[..., Any], path: Path, torch: Any) -> Any:
    submission = read(path)
    guest = sandbox.guest(dict(submission.files), submission.programs[0])
    guest.start_check()
    for size in range(2, 52):
        x = torch.randn(2, size, 8, dtype=torch.float64)
        guest.call("scaled_dot_product_attention", x, x, x)
    return guest


def _private_by_process() -> dict[int, int]:
    found = {}
    for pid in Meter(os.getpid()).tree()[1:]:
        memory = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        own = [line.split()[1] for line in memory if line.startswith(("Private_Clean", "Private_Dirty"))]
        found[pid] = sum(int(kilobytes) * 1024 for kilobytes in own)
    return found


def _passed(result: Result) -> int:
    if result.status is not Status.GRADED:
        raise RuntimeError(f"{result.student.id} was not graded: {result.message} {result.internal or ''}")
    broken = [check for check in result.checks if check.verdict is Verdict.BROKEN]
    if broken:
        raise RuntimeError(f"{result.student.id}: {broken[0].id} is broken: {broken[0].internal}")
    return sum(check.verdict is Verdict.PASSED for check in result.checks)


class _Timer:
    """Seconds by part, of the steps of one submission."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.counts: dict[str, int] = defaultdict(int)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started
            self.counts[name] += 1

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Time the steps inside a session while the block runs."""
        import graders.session
        from graders.grading import Grading
        from sandbox import Guest

        steps: list[tuple[Any, str, str]] = [
            (graders.session, "read_submission", "reading what was handed in"),
            (Sandbox, "guest", GUEST),
            (Guest, "close", "ending the guest"),
            (Guest, "ask", CALLS),
            (Grading, "grade", "checks"),
        ]
        before = [getattr(owner, name) for owner, name, _ in steps]
        for (owner, name, part), step in zip(steps, before, strict=True):
            setattr(owner, name, self._timed(step, part))
        try:
            yield
        finally:
            for (owner, name, _), step in zip(steps, before, strict=True):
                setattr(owner, name, step)

    def _timed(self, step: Callable[..., Any], part: str) -> Callable[..., Any]:
        @functools.wraps(step)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.part(part):
                return step(*args, **kwargs)

        return timed
