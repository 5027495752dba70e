"""`python -m benchmarks`: Attest beside bare calls, a fresh Python, nbgrader and otter-grader.

Prints seconds per submission, ratios against their bars, where Attest's time goes, and the memory of a guest.
Exit status: 0 every bar is met, 1 one is not, 2 wrong use.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import nbformat
import torch

from benchmarks import attest_side, floor, lesson, others
from graders.assignment import Assignment, find_assignment, read_assignment

HERE = Path(__file__).resolve().parent
FLOOR_BAR = 2.5  # at most so many times the floor, with isolation and reports
NBGRADER_BAR = 60.0  # at least so many times faster
OTTER_BAR = 150.0
MEMORY_BAR = 64 * 2**20
CHECKS = 5


@dataclass(frozen=True)
class Row:
    """One way to grade: milliseconds per submission over the right ones, the wrong ones, and all."""

    name: str
    seconds: dict[str, float]
    passed: dict[str, int]


def main() -> int:
    """Measure and print; return the exit status."""
    arguments = _arguments()
    torch.set_num_threads(1)
    seed = secrets.randbits(63)
    assignment = read_assignment(HERE / "assignment")
    submissions = sorted((HERE / "submissions").glob("*.py"))
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(f"{len(submissions)} submissions, {CHECKS} checks, {arguments.copies} copies each; ", end="")
    print(f"{cores} cores, load {load:.1f}, torch {torch.__version__}, seed {seed}")
    if load > 0.5:
        print("Something else is running here: the figures below are too high, and the ratios uncertain.")
    with tempfile.TemporaryDirectory(prefix="attest-bench-") as name:
        folder = Path(name)
        rows, run = _attest_and_floor(assignment, submissions, arguments.copies, seed, folder)
        notebooks = _notebooks(submissions, folder / "notebooks")
        (folder / "notebook-run").mkdir()
        in_notebooks = attest_side.time_cohort(
            assignment, notebooks, arguments.copies, seed, folder / "notebook-run"
        )
        rows.append(_row("Attest, notebooks", in_notebooks.seconds, in_notebooks.passed))
        if not arguments.no_others:
            rows += _others(submissions, folder)
        _agree(rows)
        right = [path for path in submissions if run.passed[path.stem] == CHECKS]
        _table(rows, {path.stem for path in right})
        parts = attest_side.time_parts(assignment, right, arguments.copies, seed, folder / "parts")
        _parts(parts, run.start_seconds)
        memory = attest_side.added_private_memory(right[0])
        whole = lesson.measure(
            find_assignment("lesson"),
            seed,
            folder / "lesson",
            copies=arguments.copies,
            checks=floor.load_checks(assignment, seed),
            right=right,
        )
        _whole_lesson(whole)
    return _verdict(rows, memory)


def _attest_and_floor(
    assignment: Assignment, submissions: list[Path], copies: int, seed: int, folder: Path
) -> tuple[list[Row], attest_side.Run]:
    """Measure both by turns, so that a busy moment of the machine hits both."""
    checks = floor.load_checks(assignment, seed)
    floor.warm_up(checks, submissions)
    floors: dict[str, list[float]] = {path.stem: [] for path in submissions}
    fresh: dict[str, list[float]] = {path.stem: [] for path in submissions}
    graded: dict[str, list[float]] = {path.stem: [] for path in submissions}
    passed: dict[str, int] = {}
    fresh_passed: dict[str, int] = {}
    for turn in range(2):
        for _ in range(copies):
            for path in submissions:
                seconds, passed[path.stem] = floor.time_fork(checks, path)
                floors[path.stem].append(seconds)
        for path in submissions:
            seconds, fresh_passed[path.stem] = floor.time_fresh(path)
            fresh[path.stem].append(seconds)
        own = folder / f"run{turn}"
        own.mkdir()
        run = attest_side.time_cohort(assignment, submissions, copies, seed, own)
        for name, times in run.seconds.items():
            graded[name] += times
    rows = [
        _row("(a) floor: bare calls in a fork", floors, passed),
        _row("Attest: sandbox, Results, reports", graded, run.passed),
        _row("(b) a fresh Python each, bare calls", fresh, fresh_passed),
    ]
    return rows, run


def _others(submissions: list[Path], folder: Path) -> list[Row]:
    if not others.installed():
        print("nbgrader and otter-grader are left out: make them with benchmarks/others.sh")
        return []
    sources = {path.stem: path.read_text(encoding="utf-8") for path in submissions}
    rows = []
    for label, measure in (("(c) nbgrader", others.time_nbgrader), ("(c) otter run", others.time_otter)):
        own = folder / measure.__name__
        own.mkdir()
        timed = measure(sources, own)
        others.make_writable(own)
        seconds = dict.fromkeys(sources, timed.seconds)
        rows.append(Row(label, seconds, {name: int(points) for name, points in timed.points.items()}))
    return rows


def _notebooks(submissions: list[Path], folder: Path) -> list[Path]:
    folder.mkdir()
    made = []
    for path in submissions:
        made.append(folder / f"{path.stem}.ipynb")
        made[-1].write_text(
            nbformat.writes(others.notebook(path.read_text(encoding="utf-8"))), encoding="utf-8"
        )
    return made


def _row(name: str, seconds: dict[str, list[float]], passed: dict[str, int]) -> Row:
    return Row(name, {key: median(times) for key, times in seconds.items()}, passed)


def _agree(rows: list[Row]) -> None:
    """All graders must have decided the same, or their times mean nothing."""
    for row in rows[1:]:
        if row.passed != rows[0].passed:
            sys.exit(f"{row.name} found {row.passed}, {rows[0].name} found {rows[0].passed}.")


def _table(rows: list[Row], right: set[str]) -> None:
    print(f"\n{'ms per submission':38} {'right':>9} {'wrong':>9} {'all':>9}")
    for row in rows:
        good = [seconds for name, seconds in row.seconds.items() if name in right]
        bad = [seconds for name, seconds in row.seconds.items() if name not in right]
        print(f"{row.name:38} {_ms(mean(good))} {_ms(mean(bad))} {_ms(mean(row.seconds.values()))}")


def _parts(parts: dict[str, float], start: float) -> None:
    each = parts.pop(attest_side.EACH_CALL)
    print("\nwhere the time of a right submission goes (ms)")
    for name, seconds in sorted(parts.items(), key=lambda item: -item[1]):
        print(f"{_ms(seconds)}  {name}")
    print(f"{_ms(each)}  … of which each call")
    print(f"{_ms(start)}  once per run, until the first result: Python, torch, zygote, collecting, cases")


def _whole_lesson(found: lesson.Processor) -> None:
    print(f"\nprocessor time of the lesson's {found.checks} checks on a right notebook (ms)")
    print(f"{_ms(found.seconds)}  grader {_ms(found.grader).strip()} and guest {_ms(found.guest).strip()}")
    times = found.seconds / found.floor
    print(f"{_ms(found.floor)}  the floor's five checks meanwhile; the lesson takes {times:.0f} times that")


def _verdict(rows: list[Row], memory: int) -> int:
    seconds = {row.name: mean(row.seconds.values()) for row in rows}
    ours, notebooks = seconds["Attest: sandbox, Results, reports"], seconds["Attest, notebooks"]
    bars = [
        ("times the floor", ours / seconds[rows[0].name], FLOOR_BAR, False),
        ("MB of private memory added by a guest", memory / 2**20, MEMORY_BAR / 2**20, False),
    ]
    if "(c) nbgrader" in seconds:
        bars += [
            ("times faster than nbgrader", seconds["(c) nbgrader"] / notebooks, NBGRADER_BAR, True),
            ("times faster than otter run", seconds["(c) otter run"] / notebooks, OTTER_BAR, True),
        ]
    print()
    failed = False
    for what, value, bar, at_least in bars:
        met = value >= bar if at_least else value <= bar
        failed |= not met
        print(f"{value:9.2f} {what:40} bar {'≥' if at_least else '≤'} {bar:g}: {'met' if met else 'NOT MET'}")
    return 1 if failed else 0


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:9.2f}" if seconds < 1 else f"{seconds * 1000:9.0f}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--copies", type=int, default=10, help="times that each submission is graded per turn"
    )
    parser.add_argument("--no-others", action="store_true", help="leave nbgrader and otter-grader out")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
