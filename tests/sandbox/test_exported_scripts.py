"""Scripts as Colab and Jupyter save them from notebooks: shell lines and magics in them cost nothing."""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from sandbox import Guest, StudentRaised
from sandbox.inside import notebook

Load = Callable[..., Guest]

COLAB = """# -*- coding: utf-8 -*-
!pip install -q einops \\
    matplotlib
# Commented out IPython magic to ensure Python compatibility.
# %matplotlib inline
import sys
if "google.colab" not in sys.modules or True:
    !nvidia-smi
    %cd /content/drive
    A = 1
files = !ls
%matplotlib inline
%time B = 2

def f(x):
    return x / 0
"""


def test_a_script_with_shell_lines_and_magics_runs_without_them(load: Load) -> None:
    guest = load(COLAB)
    assert {cell.status for cell in guest.report.cells} == {"ok"}
    assert {name.name for name in guest.names()} == {"sys", "A", "files", "B", "f"}
    notes = guest.report.notes
    assert [note.partition(" was skipped")[0] for note in notes] == [
        "Line 2: !pip",
        "Line 7: !nvidia-smi",
        "Line 7: %cd /content/drive",
        "Line 11: !ls",
    ]


def test_lines_of_such_a_script_stay_the_students(load: Load) -> None:
    with pytest.raises(StudentRaised) as caught:
        load(COLAB).call("f", 1)
    assert caught.value.traceback == ("answer.py, line 16, in f", "    return x / 0")


def test_a_mistake_in_such_a_script_is_named_and_not_its_shell_line(load: Load) -> None:
    guest = load("!pip install -q einops\nA = 1\ndef f(:\n    pass\n")
    (cell,) = guest.report.cells
    assert (cell.number, cell.status) == (3, "raised")
    assert cell.error is not None
    assert cell.error.traceback == ("answer.py, line 3", "    def f(:")


def test_what_jupyter_saves_as_a_script_runs(load: Load) -> None:
    source = (
        "get_ipython().system('pip install einops')\nget_ipython().run_line_magic('matplotlib', 'inline')\n"
    )
    guest = load(source + "A = 1\n")
    assert {cell.status for cell in guest.report.cells} == {"ok"}
    assert [name.name for name in guest.names()] == ["A"]
    assert guest.report.notes[0].startswith("Line 1: !pip was skipped")


def test_a_script_of_a_thousand_shell_lines_takes_no_longer_than_loading_may(load: Load) -> None:
    guest = load("!a\n" * 20_000 + "def f(): return 1\n")
    assert guest.report.cells[0].status in ("raised", "ok")
    assert guest.report.seconds < 5


_WORDS = [
    "!",
    "%",
    "?",
    ",",
    ";",
    "/",
    "x",
    "= ",
    "=",
    " ",
    "\t",
    "\\\n",
    "\n",
    "ls",
    "'?'",
    "# a?",
    "(",
    ")",
    "1",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=12).map("".join))
@example("x = \\\n!ls")
@example("x =\t%pwd")
@example("  /abs 1")
@example("x.y?")
def test_what_ipython_would_change_is_seen_before_it_is_asked(source: str) -> None:
    lines = source.splitlines(keepends=True)
    changed = False
    with contextlib.suppress(SyntaxError):
        changed, _ = TransformerManager().do_one_token_transform(lines)  # type: ignore[no-untyped-call]
    assert notebook._ESCAPED.search(source) or not changed


def test_a_mistake_in_a_long_script_costs_no_memory() -> None:
    source = f"x = {'(' * 200_000}{')' * 200_000}\n"
    tracemalloc.start()
    try:
        assert notebook.as_python(source) == source
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * len(source)
