"""What students start from: the files in starter/, or the model solution without its solutions.

One source serves both. In solution/NAME.py the lines from `### BEGIN SOLUTION` to `### END SOLUTION` are what
students write themselves:

    def mean(x):
        \"\"\"Return the mean of x over its last axis.\"\"\"
        ### BEGIN SOLUTION: divide the sum by the number of elements
        return x.sum(-1) / x.shape[-1]
        ### END SOLUTION

What follows the colon stays as a comment. Inside a function or class a `raise NotImplementedError` takes the
place of the solution, at the top level nothing does. `# %%` begins the next cell of the notebook, and
`# %% [markdown]` one of words, each line behind a `# `.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graders.assignment import AssignmentError, Exercise

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_BEGIN = re.compile(r"^(?P<indent>[ \t]*)### BEGIN SOLUTION\b[ \t]*:?(?P<says>.*)$")
_END = re.compile(r"^[ \t]*### END SOLUTION[ \t]*$")
_CELL = re.compile(r"^# %%[ \t]*(?P<words>\[markdown\])?.*$")


def starter_files(exercise: Exercise) -> dict[str, bytes]:
    """Return the files that students start from, by name. Raises AssignmentError where a mark is at fault.

    A script and a notebook are made of each marked solution, unless starter/ holds files.
    """
    if exercise.starters:
        return {path.name: path.read_bytes() for path in exercise.starters}
    handout = exercise.folder / "handout.md"
    words = handout.read_text(encoding="utf-8") if handout.is_file() else ""
    made: dict[str, bytes] = {}
    for path in exercise.solutions:
        if path.suffix != ".py":
            continue
        source = path.read_text(encoding="utf-8")
        if BEGIN not in source and END not in source:
            continue
        script = without_solutions(source, path)
        made[path.name] = script.encode()
        made[f"{path.stem}.ipynb"] = as_notebook(script, words).encode()
    return made


def without_solutions(source: str, path: Path) -> str:
    """Return `source` with what stands between the marks left out. Raises AssignmentError naming the line."""
    kept: list[str] = []
    begun = 0  # the line of the mark that is open
    for number, text in enumerate(source.splitlines(), 1):
        begins, ends = _BEGIN.match(text), _END.match(text)
        if not begins and not ends and text.strip().startswith((BEGIN, END)):
            raise AssignmentError(f"{path}, line {number}: {text.strip()!r} was found; write {END!r} alone.")
        if begins:
            if begun:
                raise AssignmentError(
                    f"{path}, line {number}: a solution begins inside the one of line {begun}; "
                    f"put {END!r} before it."
                )
            begun = number
            kept += _in_place(begins["indent"], begins["says"].strip())
        elif ends:
            if not begun:
                raise AssignmentError(f"{path}, line {number}: {END!r} without {BEGIN!r} before it.")
            begun = 0
        elif not begun:
            kept.append(text)
    if begun:
        raise AssignmentError(f"{path}, line {begun}: {BEGIN!r} has no {END!r} after it.")
    stripped = "\n".join(kept).rstrip("\n") + "\n"
    try:
        ast.parse(stripped)
    except SyntaxError as error:
        raise AssignmentError(
            f"{path}: without its solutions it is no Python: {error.msg}. Put the marks around whole "
            "statements, at their indentation."
        ) from error
    return stripped


def _in_place(indent: str, says: str) -> Iterator[str]:
    yield f"{indent}# Your code here{f': {says}' if says else '.'}"
    if indent:
        yield f"{indent}raise NotImplementedError"


def as_notebook(script: str, words: str = "") -> str:
    """Return a script as a notebook (nbformat 4.5): `words` first, then its cells."""
    cells = [_cell("markdown", words.strip())] if words.strip() else []
    cells += [_cell(kind, text) for kind, text in _split(script)]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": "",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _split(script: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of each cell that holds anything."""
    kind, lines = "code", list[str]()

    def whole() -> Iterator[tuple[str, str]]:
        text = "\n".join(lines).strip("\n")
        if text.strip():
            yield kind, text

    for text in script.splitlines():
        begins = _CELL.match(text)
        if begins:
            yield from whole()
            kind, lines = ("markdown" if begins["words"] else "code"), []
        elif kind == "markdown":
            lines.append(text.removeprefix("#").removeprefix(" "))
        else:
            lines.append(text)
    yield from whole()
