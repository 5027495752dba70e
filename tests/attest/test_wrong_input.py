"""Whatever is wrong with what was given ends in one clear sentence, and the rest is graded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from graders.result import Status, read_result
from tests.attest.conftest import RIGHT


def one_sentence(run: subprocess.CompletedProcess[str], *parts: str) -> None:
    """What is printed for wrong use: a sentence that names these, no traceback, exit status 2."""
    assert run.returncode == 2, run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("attest: ")
    for part in parts:
        assert part in last


# The assignment


def test_an_unknown_assignment_names_those_there_are(attest, cohort: Path) -> None:
    one_sentence(attest("grade", "exampels", cohort, "-o", "out"), "exampels", "examples/masks")


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("points = 5", "points = 5\npionts = 5", ("assignment.toml", "pionts", "known at the top")),
        ("points = 5", 'points = "five"', ("assignment.toml", "points", "'five'")),
        ("points = 5", "points = 6", ("points is 6", "add up to 5", "2 (test_public) + 3 (test_values)")),
        ("schema = 1", "schema =", ("assignment.toml", "is not TOML")),
        ('id = "doubling"', "", ("assignment.toml", "'id' is missing")),
    ],
    ids=["unknown key", "wrong type", "points do not add up", "not TOML", "missing key"],
)
@pytest.mark.usefixtures("cohort")
def test_a_faulty_assignment_names_file_and_field(
    attest, doubling: Path, old: str, new: str, parts: tuple[str, ...]
) -> None:
    toml = doubling / "assignment.toml"
    assert old in toml.read_text()
    toml.write_text(toml.read_text().replace(old, new))
    one_sentence(attest("grade", doubling, "cohort", "-o", "out"), *parts)
    assert not (doubling.parent / "out").exists()


# The submissions


def test_no_files_is_a_sentence(attest, doubling: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    one_sentence(attest("grade", doubling, "empty", "-o", "out"), "empty")
    one_sentence(attest("grade", doubling, "nowhere", "-o", "out"), "nowhere")
    assert not (tmp_path / "out").exists()


def test_files_in_any_state_are_named_and_the_rest_is_graded(attest, doubling: Path, tmp_path: Path) -> None:
    cohort = tmp_path / "cohort"
    cohort.mkdir()
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "source": RIGHT, "metadata": {}, "outputs": [], "execution_count": 1}
        ],
    }
    files: dict[str, bytes] = {
        "good.py": RIGHT.encode(),
        "binary.py": bytes(range(256)) * 40,
        "fifty-megabytes.py": b"x = 1\n" * (50 * 2**20 // 6),
        "latin1.py": f"# coding: latin-1\n# gr\u00fc\u00dfe\n{RIGHT}".encode("latin-1"),
        "utf16.py": RIGHT.encode("utf-16"),
        "no-encoding-at-all.py": b"x = '\xff\xfe\xfa'\n" + RIGHT.encode(),
        "truncated.ipynb": json.dumps(notebook).encode()[:-40],
        "whole.ipynb": json.dumps(notebook).encode(),
    }
    for name, content in files.items():
        (cohort / name).write_bytes(content)
    with zipfile.ZipFile(cohort / "zipped.zip", "w") as archive:
        archive.writestr("double.py", RIGHT)
    whole = (cohort / "zipped.zip").read_bytes()
    (cohort / "truncated-zip.zip").write_bytes(whole[: len(whole) // 2])

    run = attest("grade", doubling, cohort, "-o", "out")

    assert run.returncode == 1
    assert "Traceback" not in run.stdout + run.stderr
    found = {r.student.id: r for r in map(read_result, (tmp_path / "out" / "results").glob("*.json"))}
    full = {student for student, result in found.items() if result.points == 5}
    assert {"good", "latin1", "utf16", "whole", "zipped"} <= full
    unreadable = {student: r for student, r in found.items() if r.status is Status.UNREADABLE}
    assert {"binary", "fifty-megabytes", "truncated", "truncated-zip"} <= set(unreadable)
    for student, result in unreadable.items():
        assert result.message.endswith(".")
        assert f"Unreadable: {student}. " in run.stdout
        assert result.points == 0


def test_two_submissions_of_one_student_are_both_named(attest, doubling: Path, cohort: Path) -> None:
    (cohort / "lena").mkdir()
    (cohort / "lena" / "double.py").write_text(RIGHT)
    run = attest("grade", doubling, cohort, "-o", "out")
    assert run.returncode == 1
    assert any("lena.py" in line and "lena" in line for line in run.stdout.splitlines())
    assert "Traceback" not in run.stdout + run.stderr


# The output folder


def test_an_output_that_is_a_file_is_a_sentence(attest, doubling: Path, cohort: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    one_sentence(attest("grade", doubling, cohort, "-o", "out"), "out", "a file is in the way")


def test_an_output_inside_the_cohort_is_refused(attest, doubling: Path, cohort: Path) -> None:
    one_sentence(attest("grade", doubling, cohort, "-o", cohort / "out"), "out", "Choose one outside it")
    assert not (cohort / "out").exists()


def test_resume_and_force_exclude_each_other(attest, doubling: Path, cohort: Path) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--resume", "--force")
    one_sentence(run, "--resume and --force")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system needs root")
def test_a_disk_that_fills_up_is_a_sentence_and_what_was_written_is_whole(
    attest, doubling: Path, tmp_path: Path
) -> None:
    cohort, out = tmp_path / "cohort", tmp_path / "out"
    cohort.mkdir()
    out.mkdir()
    for number in range(12):
        (cohort / f"student{number}.py").write_text(f"print('x' * 60_000)\n{RIGHT}")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", out], check=True)
    try:
        run = attest("grade", doubling, cohort, "-o", out)
        one_sentence(run, "full")
        results = list((out / "results").iterdir())
        assert [path.suffix for path in results] == [".json"] * len(results)
        assert all(read_result(path).points == 5 for path in results)
    finally:
        subprocess.run(["umount", out], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system needs root")
def test_a_read_only_output_is_a_sentence_at_once(
    attest, doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "ro").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", tmp_path / "ro"], check=True)
    try:
        one_sentence(attest("grade", doubling, cohort, "-o", "ro"), "ro", "read-only")
        one_sentence(attest("grade", doubling, cohort, "-o", "ro/out"), "ro/out", "read-only")
    finally:
        subprocess.run(["umount", tmp_path / "ro"], check=True)


# The sandbox


def test_without_bubblewrap_it_says_what_to_install(
    attest, doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", env={"PATH": "/nowhere"})
    one_sentence(run, "bwrap", "apt install bubblewrap")
    assert not (tmp_path / "out").exists()
    run = attest("check", cohort / "lena.py", "-a", doubling, env={"PATH": "/nowhere"})
    one_sentence(run, "bwrap", "apt install bubblewrap")


def test_where_the_kernel_refuses_namespaces_the_doctor_says_what_to_do(
    attest_command: list[str], doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    refused = [sys.executable, Path(__file__).with_name("refused.py"), *attest_command]

    def attest(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*refused, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )

    one_sentence(attest("grade", doubling, cohort, "-o", "out"), "namespace", "attest doctor")
    run = attest("doctor")
    assert run.returncode == 1
    assert "sudo sysctl user.max_user_namespaces=15000" in run.stdout
    assert "Attest cannot yet grade on this machine with --sandbox bubblewrap." in run.stdout


def test_an_unknown_backend_is_a_sentence(attest, doubling: Path, cohort: Path) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--sandbox", "bubblewarp")
    one_sentence(run, "bubblewarp", "bubblewrap")


def test_the_doctor_is_content_here(attest) -> None:
    run = attest("doctor")
    assert run.returncode == 0, run.stdout
    assert "a guest answered" in run.stdout
