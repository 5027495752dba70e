"""Runs inputs against targets, keeps those that break a property, and outlives one that takes it down."""

from __future__ import annotations

import faulthandler
import hashlib
import json
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.properties import SECONDS, WAITING, Violated, failure, nothing_left
from tests.fuzz.targets import FOUND, Target

Keep = Callable[[bytes, object], None]

ROOT = Path(__file__).resolve().parents[2]
MOST_KEPT = 5  # inputs that break the same thing
STUCK_SECONDS = 2 * WAITING * SECONDS  # without Python seeing the alarm: in a loop of somebody's C
_LARGEST = 2**20


@dataclass
class Report:
    """What became of one target: how many inputs of each kind were run, and what was broken."""

    runs: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


class Keeper:
    """Keeps inputs that break something, a few of each kind."""

    def __init__(self, target: str, report: Report, folder: Path = FOUND) -> None:
        self._target, self._report, self._folder = target, report, folder
        self._kinds: dict[str, int] = {}

    def keep(self, data: bytes, error: object) -> None:
        kind = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "…", f"{type(error).__name__} {error}")[:80]
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if self._kinds[kind] > MOST_KEPT:
            return
        path = self._folder / f"{self._target}-{hashlib.sha256(data).hexdigest()[:12]}"
        path.write_bytes(data)
        self._report.broken.append(f"{path.name}: {type(error).__name__}: {error!s:.300}")


def run_all(
    check: Callable[[bytes], None], inputs: Iterable[bytes], keep: Callable[[bytes, object], None]
) -> int:
    """Check every input; return how many there were."""
    count = 0
    for data in inputs:
        count += 1
        error = failure(check, data)
        if error is not None:
            keep(data, error)
    return count


def run_built(target: Target, count: int, seed: int, keep: Keep) -> int:
    """Have Hypothesis make inputs; it stops at what breaks a property, with the smallest input that does."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    calls, last = 0, b""

    def one(data: bytes) -> None:
        nonlocal calls, last
        calls += 1
        error = failure(target.check, data)
        if error is not None:
            last = data
            raise Violated(str(error)) from error

    run = settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )(seeded(seed)(given(target.built())(one)))
    try:
        run()
    except Violated as error:
        keep(last, error)
    return calls


def run_here(target: Target, seed: int, mutated: int, built: int, folder: Path = FOUND) -> Report:
    """The corpus, damaged inputs and Hypothesis's, in this process, with a look at what is left behind."""
    report = Report()
    keeper = Keeper(target.name, report, folder)
    rng = random.Random(f"{seed} {target.name}")
    for data in target.corpus[:20]:  # imports and caches are no leak
        error = failure(target.check, data)
        if error is not None:
            keeper.keep(data, error)
    try:
        with nothing_left():
            report.runs["damaged"] = run_all(target.check, target.inputs(rng, mutated), keeper.keep)
            report.runs["Hypothesis"] = run_built(target, built, seed, keeper.keep) if built else 0
    except Violated as error:
        report.broken.append(f"{target.name}: {error}")
    return report


def watched(target: Target, now: Path) -> Target:
    """The same, which writes each input to `now` before it is checked, and ends where it is stuck."""
    size = _LARGEST + 8
    with now.open("r+b") as file:
        file.truncate(size)
        memory = mmap.mmap(file.fileno(), size)

    def check(data: bytes) -> None:
        memory[:8] = len(data).to_bytes(8, "little")
        memory[8 : 8 + min(len(data), _LARGEST)] = data[:_LARGEST]
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
        try:
            target.check(data)
        finally:
            faulthandler.cancel_dump_traceback_later()

    return Target(target.name, check, target.make_corpus, target.mutate)


def run_apart(name: str, seed: int, mutated: int, built: int, covered: int) -> Report:
    """The same in processes of their own, and coverage-guided inputs where atheris is installed."""
    report = Report()
    keeper = Keeper(name, report)
    with tempfile.TemporaryDirectory() as folder:
        now = Path(folder) / "now"
        now.touch()
        arguments = ["tests.fuzz.one", name, *map(str, (now, seed, mutated, built))]
        _merge(report, _process(arguments, now, keeper, seconds=1800))
        if covered and find_spec("atheris"):
            _merge(
                report,
                _process(["tests.fuzz.covered", name, str(now), str(seed), str(covered)], now, keeper, 1800),
            )
    return report


def _process(arguments: list[str], now: Path, keeper: Keeper, seconds: float) -> dict[str, object]:
    """Run a module; it prints its report. Where it dies, the input that it had in hand is kept."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        said, status = done.stdout, done.returncode
        for line in reversed(said.splitlines()):
            if line.startswith("{"):
                return dict(json.loads(line))
        why = f"ended with status {status}: {done.stderr[-1500:]}"
    except subprocess.TimeoutExpired:
        why = f"not done after {seconds:g} s"
    stored = now.read_bytes()
    data = stored[8 : 8 + int.from_bytes(stored[:8], "little")]
    keeper.keep(data, Violated(f"{arguments[0]} {why}"))
    return {}


def _merge(report: Report, said: dict[str, object]) -> None:
    runs, broken = said.get("runs", {}), said.get("broken", [])
    assert isinstance(runs, dict)
    assert isinstance(broken, list)
    report.runs |= runs
    report.broken += broken
