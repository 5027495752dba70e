"""`attest similar` as an instructor runs it."""

from __future__ import annotations

import csv
import re

import pytest
from typer.testing import CliRunner

from attest.main import app

BODY = "\n".join(f"    r{n} = self.w{n}(x) * {n} + y.mean(dim={n})" for n in range(12))


@pytest.fixture
def cohort(tmp_path):
    folder = tmp_path / "cohort"
    folder.mkdir()
    (folder / "lena.py").write_text(f"import torch\ndef f(x, y):\n{BODY}\n    return r1\n")
    (folder / "<b>omar.py").write_text(f"# mine </td><script>alert(1)</script>\ndef other(a, b):\n{BODY}\n")
    (folder / "priya.py").write_text("def f(x, y):\n    return x.mean(dim=1) - y\n")
    (folder / "tom.py").write_bytes(b"")
    return folder


def run(*arguments):
    done = CliRunner().invoke(app, ["similar", *map(str, arguments)])
    return done.exit_code, done.output


def test_pairs_are_named_and_shown_side_by_side(cohort, tmp_path):
    status, said = run(cohort, "-o", tmp_path / "out")
    assert status == 0
    assert re.search(r"<b>omar +lena +\d+ % +1\d lines", said)
    assert "3 submissions compared: 1 pair with shared code of their own." in said
    assert "tom.py is empty" in said
    page = (tmp_path / "out" / "pairs" / "0001.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>omar" not in page
    assert page.count('class="shared"') >= 24
    assert 'href="pairs/0001.html"' in (tmp_path / "out" / "index.html").read_text()
    with open(tmp_path / "out" / "pairs.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["first"], row["second"]) == ("<b>omar", "lena")
    assert float(row["likeness"]) > 0.5


def test_pages_of_an_earlier_run_do_not_stay(cohort, tmp_path):
    assert run(cohort, "-o", tmp_path / "out")[0] == 0
    (cohort / "lena.py").write_text("def f(x):\n    return x\n")
    status, said = run(cohort, "-o", tmp_path / "out")
    assert status == 0
    assert "0 pairs" in said
    assert list((tmp_path / "out" / "pairs").iterdir()) == []


def test_what_everybody_began_with_counts_for_nothing(cohort, tmp_path):
    (tmp_path / "start.py").write_text(f"def given(x, y):\n{BODY}\n")
    status, said = run(cohort, "--starter", tmp_path / "start.py")
    assert status == 0
    assert "0 pairs" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nosuch"], "nosuch does not exist"),
        (["{cohort}", "-a", "nosuch"], "nosuch"),
        (["{cohort}/lena.py"], "1 submission with code was found, and two are needed to compare"),
        (["{cohort}", "--least", "3"], "less than or equal to 1"),
    ],
)
def test_wrong_use_gets_one_sentence(cohort, arguments, sentence):
    status, said = run(*(one.format(cohort=cohort) for one in arguments))
    assert status == 2
    assert sentence in said
    assert "Traceback" not in said
