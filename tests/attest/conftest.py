"""Running the real `attest` as a user does: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Attest = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return x * x\n"


@pytest.fixture(scope="session")
def attest_command() -> list[str]:
    """The installed program that belongs to the Python which runs the tests."""
    program = Path(sys.executable).with_name("attest")
    assert program.is_file(), f"{program} is missing: install Attest into this environment (make test does)."
    return [str(program)]


def run_attest(
    program: list[str],
    folder: Path,
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """Run `attest` in `folder`, with nothing on standard input; stdout and stderr are kept apart."""
    return subprocess.run(
        [*program, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "160", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def attest(attest_command: list[str], tmp_path: Path) -> Attest:
    """Run `attest` with these arguments in an empty folder, or in the one named by `cwd`."""

    def run(*arguments: str | Path, cwd: Path = tmp_path, **options: Any) -> subprocess.CompletedProcess[str]:
        return run_attest(attest_command, cwd, *arguments, **options)

    return run


TESTS = '''
"""Small tests, so that runs are short."""

from graders import close, fresh_tensor, points, same


@points(2, hint="Two times x.")
def test_public(student):
    """double(3) is 6."""
    same(student.double(3), 6, what="double(3)")
'''

HIDDEN_TESTS = '''
"""Small tests, so that runs are short."""

from graders import close, fresh_tensor, points


@points(3)
def test_values(student):
    """Every element is doubled."""
    x = fresh_tensor(2, 3, seed=1)
    close(student.double(x), 2 * x)
'''

TOML = """
schema = 1
id = "doubling"
title = "Doubling"
version = "1.0"
points = 5
names = ["double"]
files = ["double.py", "double.ipynb"]

[limits]
load_seconds = 2

[variants.square]
title = "a square instead of a double"
loses = ["test_public", "test_values"]

[accepted.sum]
title = "a sum"
"""


def write_assignment(folder: Path) -> Path:
    """Write an assignment of one small exercise."""
    files = {
        "assignment.toml": TOML,
        "handout.md": "# Doubling\n",
        "tests/test_public.py": TESTS,
        "tests/test_hidden.py": HIDDEN_TESTS,
        "starter/double.py": "def double(x):\n    raise NotImplementedError\n",
        "solution/double.py": "def double(x):\n    return 2 * x\n",
        "variants/square.py": WRONG,
        "accepted/sum.py": RIGHT,
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def write_cohort(folder: Path) -> Path:
    """Write three students' work: right, wrong, and nothing at all."""
    folder.mkdir()
    (folder / "lena.py").write_text(RIGHT)
    (folder / "omar.py").write_text(WRONG)
    (folder / "priya.py").write_text("")
    return folder


@pytest.fixture
def doubling(tmp_path: Path) -> Path:
    """The folder of a small assignment."""
    return write_assignment(tmp_path / "doubling")


@pytest.fixture
def cohort(tmp_path: Path) -> Path:
    """The folder of a small cohort."""
    return write_cohort(tmp_path / "cohort")


@pytest.fixture(scope="session")
def _graded_once(attest_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graded")
    write_assignment(folder / "doubling")
    write_cohort(folder / "cohort")
    run = run_attest(attest_command, folder, "grade", "doubling", "cohort", "-o", "out")
    assert run.returncode == 1, run.stderr  # priya's file is empty
    return folder / "out"


@pytest.fixture
def graded(_graded_once: Path, tmp_path: Path) -> Path:
    """OUT as `attest grade` left it for the small assignment and cohort; a copy for this test."""
    return Path(shutil.copytree(_graded_once, tmp_path / "out"))
