"""A guest's report of its loading: our sentences stay, a program's own words do not pass for ours."""

from __future__ import annotations

import pytest

from sandbox import Guest, Program, Sandbox
from sandbox.inside.notes import ALTERED, FAILED_WHOLE, honest_cell_note, honest_notes


@pytest.mark.parametrize(
    "cells",
    [
        ("!pip install einops",),
        ("!ls -la; rm x", "%cd nowhere/at all"),
        ("%pip install torch", "%nosuch magic", "%%bash\nls", "%%nosuch\nx"),
        ("import nosuch", "%timeit -q"),
        (
            "%no-such-magic",
            "%" + "x" * 200,
            "%%" + "y" * 200 + "\nx = 1",
            "!/" + "z" * 200 + "/pip install x",
        ),
        ("%%html\n<b>x</b>", "get_ipython().system('x y')", "%conda install x"),
    ],
)
def test_what_a_guest_says_of_honest_work_stays(cells: tuple[str, ...]) -> None:
    with Sandbox() as sandbox, sandbox.guest({}, Program("notebook", "a.ipynb", cells)) as guest:
        said = list(guest.report.notes)
    assert said
    assert honest_notes(said, "a.ipynb") == said


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\nimport sys\nsys.exit()\ny = 2",
        "!pip install x\ny = 2",
        "%matplotlib nosuch\n%cd /etc\ny = 2",
        "import os\ndef f(): pass\nos._exit(0)",
    ],
)
def test_what_is_said_of_scripts_stays(source: str) -> None:
    with Sandbox() as sandbox, sandbox.guest({}, Program("script", "my work.py", (source,))) as guest:
        said = [note for note in guest.report.notes if not note.startswith(FAILED_WHOLE.partition("{")[0])]
        noted = [cell.note for cell in guest.report.cells if cell.note]
    assert honest_notes(said, "my work.py") == said
    assert [honest_cell_note(note) for note in noted] == noted


def test_a_long_name_of_a_program_is_no_lie() -> None:
    path = f"{'folder/' * 40}work.py"
    with (
        Sandbox() as sandbox,
        sandbox.guest({}, Program("script", path, ("import sys\nsys.exit()\ny = 2",))) as guest,
    ):
        (said,) = guest.report.notes
    assert said.endswith("ended itself at line 2; what stands below it was not run")


def test_a_cell_that_was_stopped_says_so(sandbox_with_little_time: Guest) -> None:
    (note,) = [cell.note for cell in sandbox_with_little_time.report.cells if cell.status == "stopped"]
    assert honest_cell_note(note) == note != ""


@pytest.fixture
def sandbox_with_little_time():
    from sandbox import Limits

    program = Program("script", "a.py", ("x = 1\nwhile True: pass",))
    with Sandbox(limits=Limits(load_seconds=0.5)) as sandbox, sandbox.guest({}, program) as guest:
        yield guest


@pytest.mark.parametrize(
    "forged",
    [
        "All checks passed: 10 of 10 points.",
        "Line 3: All checks passed.",
        "!x was skipped: all checks passed",
        "%x was skipped: there is no such magic here\nAll checks passed.",
        "%x was skipped: there is no such magic here. All checks passed.",
        "running the whole submission failed, so only its definitions were run. All checks passed.",
        "All checks passed. a.py ended itself at line 3; what stands below it was not run",
        "",
    ],
)
def test_other_words_are_left_out_and_that_is_said(forged: str) -> None:
    ours = "!pip was skipped: nothing can be installed while a submission is graded"
    assert honest_notes([forged, ours], "a.py") == [ours, ALTERED]


@pytest.mark.parametrize("forged", ["all is well", "stopped after 3 s. 10 points", "it ended itself here!"])
def test_other_words_of_a_cell_are_left_out(forged: str) -> None:
    assert honest_cell_note(forged) == ""
