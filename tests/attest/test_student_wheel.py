"""What students install: enough for `attest check`, and nothing that decides a grade."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = ("assignments/", "reference/", "benchmarks/", "tests/", "examples/")
NOT_FOR_STUDENTS = (
    *("attest/main.py", "attest/grade.py", "attest/running.py", "attest/validate.py", "attest/handout.py"),
    *("attest/new.py", "attest/intake.py"),
    *("graders/validation.py", "graders/cohort.py", "graders/workers.py", "reports/gradebook.py"),
)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The student's wheel, unpacked where no checkout is near."""
    folder = tmp_path_factory.mktemp("student")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT / "packaging" / "attest-check", check=True, capture_output=True)
    (wheel,) = folder.glob("attest_check-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def names(unpacked: Path) -> list[str]:
    return sorted(p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file())


def test_it_holds_nothing_that_decides_a_grade(unpacked: Path) -> None:
    held = names(unpacked)
    assert [name for name in held if name.startswith(NEVER)] == []
    assert [name for name in held if name in NOT_FOR_STUDENTS] == []
    assert [name for name in held if not name.endswith(".py") and ".dist-info/" not in name] == []


def test_it_holds_all_of_the_sandbox(unpacked: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "sandbox/*.py"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert set(tracked.stdout.split()) <= set(names(unpacked))


def run_alone(unpacked: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the student's program with what it needs of other packages, and without this checkout."""
    # -S: no .pth file, by which an editable installation would bring the checkout along.
    program = "import sys; from attest.student_main import main; main()"
    path = [str(unpacked), sysconfig.get_paths()["purelib"]]
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "COLUMNS": "160"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handout of one exercise, with a right answer in it."""
    folder = tmp_path_factory.mktemp("handout") / "masks"
    program = "from attest.main import main; main()"
    command = [sys.executable, "-c", program, "release", "examples/masks", "-o", folder]
    subprocess.run(command, check=True, capture_output=True)
    solution = ROOT / "assignments" / "examples" / "masks" / "solution" / "masks.py"
    (folder / "masks.py").write_bytes(solution.read_bytes())
    return folder


def test_a_handouts_check_works_with_it_alone(unpacked: Path, handout: Path) -> None:
    run = run_alone(unpacked, handout, "check", "masks.py")
    assert run.returncode == 0, run.stderr
    assert "3 of 3 checks pass" in run.stdout


def test_away_from_a_handout_it_says_where_the_checks_are(unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "masks.py").write_text("def causal_mask(length):\n    return length\n")
    run = run_alone(unpacked, tmp_path, "check", "masks.py")
    assert run.returncode == 2
    assert "the folder checks/ of the handout" in run.stderr


def test_the_name_of_an_assignment_that_students_do_not_have_is_explained(
    unpacked: Path, tmp_path: Path
) -> None:
    (tmp_path / "masks.py").write_text("def causal_mask(length):\n    return length\n")
    run = run_alone(unpacked, tmp_path, "check", "masks.py", "-a", "examples/masks")
    assert run.returncode == 2
    assert "the handout's folder of public checks" in run.stderr


def test_it_offers_only_what_a_student_can_use(unpacked: Path, tmp_path: Path) -> None:
    text = run_alone(unpacked, tmp_path, "--help").stdout
    assert "check" in text
    assert "grade" not in text.split("Commands:")[1].split("\n\n")[0]


def test_every_public_check_of_the_lesson_runs_with_it_alone(unpacked: Path, tmp_path: Path) -> None:
    program = "from attest.main import main; main()"
    command = [sys.executable, "-c", program, "release", "lesson", "-o", tmp_path / "lesson"]
    subprocess.run(command, check=True, capture_output=True)
    run = run_alone(unpacked, tmp_path / "lesson", "check", "lesson.ipynb")
    assert run.returncode == 1, run.stderr
    assert "0 of " in run.stdout
    assert "Broken" not in run.stdout
