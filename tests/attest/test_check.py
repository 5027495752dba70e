"""`attest check`, as a student uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.attest.conftest import RIGHT, WRONG


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "double.py"


def test_right_work_passes_and_hears_of_further_checks(attest, doubling: Path, work: Path) -> None:
    work.write_text(RIGHT)
    run = attest("check", work, "-a", doubling)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "✓ double(3) is 6. (2 of 2 points)" in run.stdout
    assert "further checks with fresh inputs decide about 3 points." in run.stdout


def test_wrong_work_hears_what_came_and_what_was_expected(attest, doubling: Path, work: Path) -> None:
    work.write_text(WRONG)
    run = attest("check", work, "-a", doubling)
    assert run.returncode == 1
    said = run.stdout
    assert "✗ Failed: double(3) is 6. (0 of 2 points)" in said
    assert "double(3)" in said
    assert "You returned" in said
    assert "Expected" in said
    assert "Your code behaves like a square instead of a double." in said
    assert "Start with: double(3) is 6." in said


def test_an_error_without_a_name_hears_the_checks_hint(attest, doubling: Path, work: Path) -> None:
    work.write_text("def double(x):\n    return x - 1\n")
    run = attest("check", work, "-a", doubling)
    assert run.returncode == 1
    assert "Hint: Two times x." in run.stdout


def test_hidden_checks_are_neither_run_nor_named(attest, doubling: Path, work: Path) -> None:
    work.write_text(WRONG)
    run = attest("check", work, "-a", doubling)
    assert "Every element is doubled" not in run.stdout + run.stderr


def test_an_error_shows_the_students_own_lines(attest, doubling: Path, work: Path) -> None:
    work.write_text("def double(x):\n    y = x\n    return y.twice()\n")
    run = attest("check", work, "-a", doubling)
    assert run.returncode == 1
    assert "✗ Error: double(3) is 6." in run.stdout
    assert "double.py" in run.stdout
    assert "return y.twice()" in run.stdout
    assert "AttributeError" in run.stdout


def test_a_notebook_cell_that_raises_is_named_and_the_rest_counts(
    attest, doubling: Path, tmp_path: Path
) -> None:
    cells = ["1 / 0", RIGHT, "!pip install magic"]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
            for source in cells
        ],
    }
    (tmp_path / "double.ipynb").write_text(json.dumps(notebook))
    run = attest("check", "double.ipynb", "-a", doubling)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Cell 1 raised an error" in run.stdout
    assert "ZeroDivisionError" in run.stdout
    assert "!pip was skipped" in run.stdout


def test_what_code_prints_cannot_reach_the_terminal(attest, doubling: Path, work: Path) -> None:
    work.write_text(
        "def double(x):\n    print('\\x1b[2Jcleared\\x07')\n    raise ValueError('\\x1b]0;title\\x07')\n"
    )
    run = attest("check", work, "-a", doubling)
    assert "cleared" in run.stdout
    assert not set(run.stdout + run.stderr) & {"\x1b", "\x07"}


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("import torch\ndef causal_mask(length):\n    return None\n", "Causal and padding masks"),
        (
            "def scaled_dot_product_attention(q, k, v, mask=None):\n    return 1\n",
            "Scaled dot-product attention",
        ),
        ("%matplotlib inline\nclass MeanPoolClassifier: pass\n", "averages real tokens"),
    ],
    ids=["masks", "attention", "mean pool, with a magic"],
)
def test_the_assignment_is_seen_by_the_names(attest, work: Path, source: str, title: str) -> None:
    work.write_text(source)
    run = attest("check", work)
    assert run.returncode == 1
    assert title in run.stdout.splitlines()[0]


def test_a_misspelt_name_is_answered_with_the_right_one(attest, work: Path) -> None:
    work.write_text("def casual_mask(length):\n    return None\n")
    run = attest("check", work)
    assert run.returncode == 2
    assert "'casual_mask' is nearly 'causal_mask'" in run.stderr


def test_a_file_for_no_assignment_hears_what_was_expected(attest, work: Path) -> None:
    work.write_text("def hello():\n    print('hello')\n")
    run = attest("check", work)
    assert run.returncode == 2
    assert "double.py: it defines nothing that an assignment asks for" in run.stderr
    assert "causal_mask" in run.stderr
    assert "What it defines: hello." in run.stderr


def test_of_a_file_that_cannot_be_run_nothing_is_shown_but_why(attest, work: Path) -> None:
    work.write_text("def scaled_dot_product_attention(query, key, value, mask=None)\n    return query\n")
    run = attest("check", work)
    assert run.returncode == 1
    assert "Start with loading double.py: double.py cannot be run: SyntaxError" in " ".join(
        run.stdout.split()
    )
    assert "smallest input" not in run.stdout
    assert "Hint" not in run.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "does not exist"), (b"", "is empty"), (b"%PDF-1.7\n", "PDF")],
    ids=["missing", "empty", "a PDF"],
)
def test_a_file_that_cannot_be_read_is_a_sentence(
    attest, work: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        work.write_bytes(content)
    run = attest("check", work)
    assert run.returncode == 2
    assert said in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
