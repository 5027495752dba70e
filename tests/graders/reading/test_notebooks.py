"""Notebooks as students really hand them in."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.reading import ReadingLimits, Submission, UnreadableSubmission, read_submission
from graders.reading.notebook import read_notebook

DATA = Path(__file__).parent / "data"


def code(source: Any, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    } | more


def notebook(*cells: Any, **more: Any) -> dict[str, Any]:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)} | more


def read(folder: Path, content: Any, name: str = "attention.ipynb") -> Submission:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (folder / name).write_bytes(data)
    return read_submission(folder / name)


def why_not(folder: Path, content: Any) -> str:
    with pytest.raises(UnreadableSubmission) as caught:
        read(folder, content)
    return str(caught.value)


def test_nbformat_3_is_read_through_nbformat() -> None:
    submission = read_submission(DATA / "nbformat3.ipynb")
    (program,) = submission.programs
    assert program.kind == "notebook"
    assert program.cells == ("import torch\nx = 1", "def causal_mask(length):\n    return None")
    assert program.numbers == (1, 2)
    assert [cell.text for cell in submission.prose] == ["## My masks", "Row 0 only sees itself."]


def test_a_colab_notebook_with_stateless_widgets_double_ids_and_nan_in_outputs() -> None:
    submission = read_submission(DATA / "colab_widgets.ipynb")
    (program,) = submission.programs
    assert program.cells == ("!pip install -q einops\n%matplotlib inline\nimport torch", "loss = 1\nmask = 2")
    assert program.numbers == (1, 3)  # the empty cell counts for a student, and is not run
    assert submission.prose[0].text == "# Exercise\nPads get **no** weight."
    assert submission.prose[0].number == 1
    assert submission.notes == ()


@pytest.mark.parametrize(
    "cell",
    [
        code("x = 1"),
        code(["x ", "= 1"]),
        {"cell_type": "code", "source": "x = 1"},
        {"source": "x = 1", "outputs": []},
        code("x = 1", id="same"),
        code("x = 1", outputs="broken", metadata=None, execution_count="seven"),
        code("x = 1", outputs=[{"output_type": "stream", "text": "y" * 5_000_000}]),
    ],
    ids=["string", "list", "bare", "untyped", "double-id", "broken-fields", "megabytes"],
)
def test_a_cell_in_any_state_gives_its_code(tmp_path: Path, cell: dict[str, Any]) -> None:
    assert read(tmp_path, notebook(cell, cell)).programs[0].cells == ("x = 1", "x = 1")


@pytest.mark.parametrize("missing", ["metadata", "nbformat_minor", "nbformat"])
def test_a_missing_field_of_the_notebook_costs_nothing(tmp_path: Path, missing: str) -> None:
    document = notebook(code("x = 1"))
    del document[missing]
    assert read(tmp_path, document).programs[0].cells == ("x = 1",)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_notebook_in_another_encoding(tmp_path: Path, codec: str) -> None:
    data = json.dumps(notebook(code("x = 'é'\r\ny = 2")), ensure_ascii=False).encode(codec)
    assert read(tmp_path, data).programs[0].cells == ("x = 'é'\ny = 2",)


@pytest.mark.parametrize("name", ["lee.json", "lee.txt", "lee.ipynb.txt", "lee.ipynb.json", "lee.py", "lee"])
def test_a_notebook_under_another_extension_is_recognised(tmp_path: Path, name: str) -> None:
    submission = read(tmp_path, notebook(code("x = 1")), name)
    assert submission.programs[0].kind == "notebook"
    assert "call it .ipynb" in submission.notes[0]


def test_an_unreadable_cell_is_left_out_with_a_note_and_keeps_its_number(tmp_path: Path) -> None:
    submission = read(tmp_path, notebook(code({"a": 1}), "no cell", code("x = 1")))
    assert submission.programs[0].numbers == (2,)
    assert "code cell 1 has no readable source" in submission.notes[0]
    assert "cell 2 is no notebook cell" in submission.notes[1]


def test_nbformat_3_that_nbformat_refuses_is_still_read(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": "two", "source": "t"},
        {"cell_type": "code", "input": ["x = 1"]},
    ]
    document = {"nbformat": 3, "worksheets": [{"cells": cells}, "no sheet"]}
    assert read(tmp_path, document).programs[0].cells == ("x = 1",)


def test_a_lone_surrogate_becomes_a_replacement_character(tmp_path: Path) -> None:
    cells = (
        read(tmp_path, b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}')
        .programs[0]
        .cells
    )
    assert cells == ("x = '\ufffd'",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps(notebook(code("x = 1"))).encode()[:-30], "cut short"),
        (b'{"nbformat": 4, "cells": [', "cut short"),
        (b'{"nbformat": 4,, "cells": []}', "a mistake at line 1, column 16"),
        (json.dumps(notebook(code("x = 1"))).encode() + b"\n}}", "goes on after the end"),
        (b'{\n<<<<<<< HEAD\n"nbformat": 4', "unresolved Git merge"),
        (notebook(code("x"), nbformat=7), "nbformat 7, expected 3 or 4"),
        (notebook(code("x"), nbformat="new"), "nbformat new"),
        (notebook(code("x"), nbformat=True), "nbformat True"),
        (notebook(code("x"), cells={"a": 1}), "without a list of cells"),
        ({"a": 1}, "has no cells"),
        ([1, 2], "begins with"),
        (notebook(), "none of its 0 cells is a code cell with text"),
        (notebook(code(""), code(" \n")), "none of its 2 cells is a code cell with text"),
        (
            notebook(code("x"), metadata={"kernelspec": {"language": "R"}}),
            "a notebook in R, expected one in Python",
        ),
    ],
)
def test_what_is_no_notebook_is_said_clearly(tmp_path: Path, content: Any, said: str) -> None:
    message = why_not(tmp_path, content)
    assert said in message
    assert message.startswith("attention.ipynb ")
    assert message.endswith(".")


@pytest.mark.parametrize("depth", [2_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", ['{"a":', "}"]], ids=["lists", "objects"])
def test_deep_nesting_is_a_sentence(tmp_path: Path, depth: int, brackets: Any) -> None:
    opening, closing = brackets
    inner = opening * depth + "1" + closing * depth
    message = why_not(tmp_path, f'{{"nbformat": 4, "metadata": {inner}, "cells": []}}'.encode())
    assert "nested more deeply" in message


def test_a_number_of_ten_thousand_digits_is_no_obstacle(tmp_path: Path) -> None:
    data = b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1", "execution_count": %s}]}' % (
        b"9" * 10_000
    )
    assert read(tmp_path, data).programs[0].cells == ("x = 1",)


def test_a_million_cells_and_millions_of_values_are_refused_quickly(tmp_path: Path) -> None:
    started = time.monotonic()
    many = b'{"nbformat": 4, "cells": [' + b"{}," * 900_000 + b"{}]}"
    assert "more than 10,000 cells" in why_not(tmp_path, many)
    dense = b'{"nbformat": 4, "metadata": [' + b"[]," * 6_000_000 + b"[]]}"
    assert "clear all outputs" in why_not(tmp_path, dense)
    assert time.monotonic() - started < 20


def test_cells_across_worksheets_are_bounded_too(tmp_path: Path) -> None:
    sheet = {"cells": [{"cell_type": "code", "input": "x = 1"}] * 60}
    with pytest.raises(UnreadableSubmission, match="more than 100 cells"):
        read_notebook(
            json.dumps({"nbformat": 3, "worksheets": [sheet] * 3}), "a.ipynb", ReadingLimits(cells=100)
        )


printable = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(st.sampled_from(["code", "markdown"]), printable), min_size=1))
def test_what_nbformat_reads_is_read_the_same_way(cells: list[tuple[str, str]]) -> None:
    made = nbformat.v4.new_notebook()
    for kind, source in [*cells, ("code", "x = 1")]:
        made.cells.append(
            nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source)
        )
    text = nbformat.writes(made)
    again = nbformat.reads(text, as_version=4)
    ours = read_notebook(text, "a.ipynb", ReadingLimits())
    assert list(ours.cells) == [cell.source for cell in again.cells if cell.cell_type == "code"]
    assert [cell.text for cell in ours.prose] == [
        cell.source for cell in again.cells if cell.cell_type == "markdown"
    ]
