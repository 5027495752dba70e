"""One zygote for all tests of grading, the tiny assignments, and a way to grade a piece of source."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from graders.assignment import Assignment, read_assignment
from graders.reading import read_submission
from graders.result import CheckResult, Result, Student
from sandbox import Limits, Sandbox

# A busy machine is no failure.
hypothesis.settings.register_profile("attest", deadline=None)
hypothesis.settings.load_profile("attest")

DATA = Path(__file__).with_name("data")

Grade = Callable[..., Result]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")
    limits = Limits(load_seconds=1, check_seconds=1, memory_bytes=256 * 2**20, output_flood_bytes=2**20)
    with Sandbox(limits=limits) as sandbox:
        sandbox.start()
        yield sandbox


@pytest.fixture(scope="session")
def tiny() -> Assignment:
    return read_assignment(DATA / "tiny")


@pytest.fixture(scope="session")
def careless() -> Assignment:
    return read_assignment(DATA / "careless")


@pytest.fixture(scope="session")
def model() -> str:
    """The source of the tiny exercise's model solution."""
    return (DATA / "tiny" / "solution" / "tiny.py").read_text()


@pytest.fixture
def grade(sandbox: Sandbox, tiny: Assignment, tmp_path: Path) -> Grade:
    """Grade a submission given as the source of one file, or as files by name."""
    from graders.session import GradingSession

    def grade(
        files: str | dict[str, str], assignment: Assignment = tiny, seed: int = 1, **options: bool
    ) -> Result:
        if isinstance(files, str):
            files = {assignment.files[0]: files}
        folder = tmp_path / "submission"
        folder.mkdir(exist_ok=True)
        for name, source in files.items():
            (folder / name).write_text(source)
        session = GradingSession(assignment, sandbox, seed, **options)
        return session.grade(Student(id="ada"), read_submission(folder, assignment.files))

    return grade


def check(result: Result, name: str) -> CheckResult:
    """Return one check of a result by its test's name."""
    (found,) = [one for one in result.checks if one.id.rpartition("/")[2] == name]
    return found


def verdicts(result: Result) -> dict[str, str]:
    """Return every check's verdict by its test's name."""
    assert result.status == "graded", result.internal
    return {one.id.rpartition("/")[2]: one.verdict.value for one in result.checks}
