"""What is said about installing an extra works here, and names no package index."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graders.installing import command_from, install_command

ROOT = Path(__file__).parents[2]


def test_an_extra_comes_from_the_folder_that_attest_came_from(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    came_from = {"url": folder.as_uri(), "dir_info": {"editable": True}}

    assert (
        command_from("portal", came_from) == f"{sys.executable} -m pip install --editable '{folder}[portal]'"
    )
    assert "--editable" not in command_from("portal", {"url": folder.as_uri(), "dir_info": {}})


@pytest.mark.parametrize("url", ["", "file:///nowhere", "https://example.edu/attest.whl"])
def test_where_that_folder_is_gone_any_of_attest_will_do(url: str) -> None:
    assert command_from("portal", {"url": url}) == "in the folder of Attest's source, pip install '.[portal]'"


def test_nothing_in_the_repository_asks_a_package_index_for_attest() -> None:
    asked = subprocess.run(
        ["git", "grep", "-lE", r"pip install[^.]*attest-grader", "--", "*.py", "*.md", "*.jinja", "Makefile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()

    assert asked in ([], ["tests/graders/test_installing.py"])
    assert "attest-grader[" not in install_command("portal")
