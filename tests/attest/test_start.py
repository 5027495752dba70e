"""The command line starts at once, and says what it can do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = {
    "torch",
    "numpy",
    "pandas",
    "pytest",
    "hypothesis",
    "pydantic",
    "jinja2",
    "IPython",
    "rich",
    "msgspec",
    "sandbox",
    "graders",
}


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from attest.main import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "grade" in run.stdout
    assert not HEAVY & set(run.stderr.split())


def test_help_takes_less_than_a_fifth_of_a_second(attest_command: list[str]) -> None:
    def seconds() -> float:
        """Processor time, which other work on the machine does not stretch as it does the clock."""
        before = os.times()
        subprocess.run([*attest_command, "--help"], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        return after.children_user - before.children_user + after.children_system - before.children_system

    assert min(seconds() for _ in range(7)) < 0.2


def test_version_is_a_number(attest) -> None:
    run = attest("--version")
    assert run.returncode == 0
    assert run.stdout.startswith("attest 0.")


@pytest.mark.parametrize(
    "arguments", [["grad"], ["grade"], ["grade", "examples", "x", "-o", "y", "--jobs", "0"]]
)
def test_wrong_use_is_exit_status_2_and_no_traceback(attest, arguments: list[str]) -> None:
    run = attest(*arguments)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert run.stderr.strip()


def test_a_terminal_without_unicode_does_not_end_a_run(attest) -> None:
    run = attest("validate", "no-such-√", env={"PYTHONIOENCODING": "ascii"})
    assert run.returncode == 2
    assert "no-such-" in run.stderr
    assert "Traceback" not in run.stderr
