"""What grading costs at the least: the checks themselves, called in a fork, or in a fresh Python.

The floor runs the very check functions of `assignment/`, with the cases that Attest draws for them, on the
student's function itself. No isolation, no limits, no messages for students, no reports.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from graders.assignment import Assignment
from graders.casebook import CaseBook
from graders.checks import cases_of, points_of

HERE = Path(__file__).resolve().parent
Check = tuple[str, Callable[..., None], tuple[Any, ...] | None]


def load_checks(assignment: Assignment, seed: int) -> list[Check]:
    """Return (name, test, cases) of every check, the cases drawn as in a run with this seed."""
    book = CaseBook(seed)
    checks: list[Check] = []
    for exercise in assignment.exercises:
        for path in (exercise.public_tests, exercise.hidden_tests):
            for name, test in _functions(path):
                if points_of(test) is None:
                    continue
                source = cases_of(test)
                if source is None:
                    checks.append((name, test, None))
                else:
                    drawn = book.cases(f"{exercise.id}/{name}", source, torch.float64)
                    checks.append((name, source.test, drawn))
    return checks


def warm_up(checks: list[Check], submissions: list[Path]) -> None:
    """Do once here what torch and Python do only the first time, as a worker of a cohort run has done it."""
    for path in submissions:
        run_checks(checks, path)


def time_fork(checks: list[Check], path: Path) -> tuple[float, int]:
    """Load and check one submission in a fork of this process; return seconds and how many checks passed.

    torch must not have used more than one thread here: its threads do not live on in a fork.
    """
    started = time.perf_counter()
    mine, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, bytes([run_checks(checks, path)]))
        os._exit(0)
    os.close(theirs)
    answer = os.read(mine, 1)
    os.close(mine)
    os.waitpid(child, 0)
    seconds = time.perf_counter() - started
    return seconds, answer[0]


def run_checks(checks: list[Check], path: Path) -> int:
    """Load a submission here and return how many checks it passes."""
    namespace: dict[str, Any] = {"__name__": "student"}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), namespace)
    student = SimpleNamespace(**namespace, dtype=torch.float64)
    return sum(_passes(student, test, cases) for _, test, cases in checks)


def time_fresh(path: Path) -> tuple[float, int]:
    """Check one submission in a Python of its own, with `plain_checks`; return seconds and checks passed."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import torch; torch.set_num_threads(1)\n"
        "import plain_checks\n"
        "student = {}; exec(open(sys.argv[2]).read(), student)\n"
        "passed = 0\n"
        "for check in plain_checks.CHECKS:\n"
        "    try: check(student['scaled_dot_product_attention'])\n"
        "    except Exception: continue\n"
        "    passed += 1\n"
        "print(passed)\n"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, str(HERE), str(path)], capture_output=True, text=True, check=True
    )
    return time.perf_counter() - started, int(done.stdout)


def _passes(student: Any, test: Callable[..., None], cases: tuple[Any, ...] | None) -> bool:
    try:
        if cases is None:
            test(student)
        else:
            for case in cases:
                test(student, case)
    except Exception:
        return False
    return True


def _functions(path: Path) -> list[tuple[str, Callable[..., None]]]:
    spec = importlib.util.spec_from_file_location(f"floor_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return [(name, value) for name, value in vars(module).items() if name.startswith("test_")]
