"""The wheel is whole: away from the checkout, `attest` has its assignments and grades with them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, unpacked where no checkout is near."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_it_holds_every_file_of_every_assignment(installed: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "assignments"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    missing = [name for name in tracked.stdout.splitlines() if not (installed / name).is_file()]
    assert tracked.stdout
    assert missing == []


def test_it_grades_with_its_own_files(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lena.py").write_text("def casual_mask(length):\n    return 1\n")
    program = "from attest.main import main; main()"
    run = subprocess.run(
        [sys.executable, "-P", "-c", program, "grade", "examples/masks", "lena.py", "-o", "out"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert f'"assignment_path": "{installed}' in (tmp_path / "out" / "run.json").read_text()
    assert "causal_mask" in (tmp_path / "out" / "reports" / "lena.md").read_text()
