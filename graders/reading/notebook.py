"""Code and prose out of a notebook, whatever state its JSON is in.

Outputs and cell ids are never looked at: nothing in them can spoil a notebook whose cells can be read.
Notebooks older than nbformat 4 are upgraded by the nbformat library; what it refuses is read as it stands.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graders.reading.kinds import EXPECTED
from graders.reading.names import shown
from graders.reading.submission import ProseCell, ReadingLimits, UnreadableSubmission

_NEWEST = 4
_SAVE_AGAIN = "open it in Jupyter or Colab, save it, and hand in the .ipynb file"
_DOWNLOAD_AGAIN = "download or save it once more and hand in the whole .ipynb file"
_OTHER_LANGUAGES = frozenset(
    {
        "r",
        "julia",
        "scala",
        "octave",
        "matlab",
        "bash",
        "javascript",
        "typescript",
        "c",
        "c++",
        "c#",
        "java",
        "ruby",
        "sql",
    }
)
_MOST_CONTAINERS = 2_000_000  # lists and objects: about 150 MB once parsed
_MOST_VALUES = 6_000_000
_BEGINS_A_STRING = re.compile(r"(?:\s|#[^\n]*\n)*[rRuU]?[\"']")
_LONGEST_STRING = 200_000
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Notebook:
    """The code cells that hold code, numbered as a student counts code cells, and the Markdown cells."""

    cells: tuple[str, ...]
    numbers: tuple[int, ...]
    prose: tuple[ProseCell, ...]
    notes: tuple[str, ...]


def read_notebook(text: str, name: str, limits: ReadingLimits, *, words: bool = False) -> Notebook:
    """Read a notebook's text; without `words`, one that holds no code is none.

    Raises UnreadableSubmission with one clear sentence.
    """
    document = _parsed(text, name)
    major = _major(document, name)
    _check_language(document, name)
    cells = _cells(document, name, limits)
    if major < _NEWEST:
        cells = _upgraded(cells, major)

    code: list[tuple[int, str]] = []
    prose: list[ProseCell] = []
    notes: list[str] = []
    count = markdown = 0
    for position, cell in enumerate(cells, start=1):
        kind = _kind(cell)
        source = _source(cell)
        if kind == "code":
            count += 1
            if source is None:
                notes.append(f"{shown(name)}: code cell {count} has no readable source and was left out.")
            elif source.strip():
                code.append((count, source))
                said = only_a_string(source)
                if said is not None:
                    prose.append(ProseCell(name, count, said, _tags(cell), "code"))
        elif kind in ("markdown", "heading"):
            markdown += 1
            prose.append(ProseCell(name, markdown, source or "", _tags(cell)))
        elif kind is None:
            notes.append(f"{shown(name)}: cell {position} is no notebook cell and was left out.")
    if not code and not (words and any(cell.text.strip() for cell in prose)):
        raise UnreadableSubmission(
            f"{shown(name)} holds no code (none of its {len(cells):,} cells is a code cell with text); "
            "write the answers that the assignment asks for in code cells, save it and hand it in again."
        )
    return Notebook(tuple(s for _, s in code), tuple(n for n, _ in code), tuple(prose), tuple(notes))


def _parsed(text: str, name: str) -> dict[str, Any]:
    start = len(text) - len(text.lstrip())
    if not text.startswith("{", start):
        raise UnreadableSubmission(
            f"{shown(name)} is not a notebook: a notebook begins with {{ and this begins with "
            f"{shown(text[start : start + 20].strip(), 20)}; {_SAVE_AGAIN}."
        )
    if text.count("[") + text.count("{") > _MOST_CONTAINERS or text.count(",") > _MOST_VALUES:
        raise UnreadableSubmission(
            f"{shown(name)} holds millions of values in its outputs or metadata, more than can be read; "
            "clear all outputs, save it and hand it in again."
        )
    decoder = json.JSONDecoder(strict=False, parse_int=_integer)
    try:
        document, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _broken(text, name, error) from None
    except RecursionError:
        raise UnreadableSubmission(
            f"{shown(name)} is JSON nested more deeply than any notebook; {_SAVE_AGAIN}."
        ) from None
    rest = text[end:].strip()
    if rest:
        raise UnreadableSubmission(
            f"{shown(name)} goes on after the end of the notebook (line {text.count(chr(10), 0, end) + 1}, "
            f"{len(rest):,} more characters); {_DOWNLOAD_AGAIN}."
        )
    assert isinstance(document, dict)  # it begins with {
    return document


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


def _broken(text: str, name: str, error: json.JSONDecodeError) -> UnreadableSubmission:
    where = f"line {error.lineno}, column {error.colno}"
    if re.search(r"^<<<<<<< ", text, re.MULTILINE):
        return UnreadableSubmission(
            f"{shown(name)} holds the marks of an unresolved Git merge (<<<<<<<) and is no valid notebook; "
            "resolve the conflict, save it and hand it in again."
        )
    if error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated string"):
        return UnreadableSubmission(
            f"{shown(name)} is cut short: the notebook's JSON is unfinished at {where}; {_DOWNLOAD_AGAIN}."
        )
    return UnreadableSubmission(
        f"{shown(name)} is not a valid notebook: its JSON has a mistake at {where}; {_SAVE_AGAIN}."
    )


def _major(document: dict[str, Any], name: str) -> int:
    """Return nbformat's major version; a notebook that does not say is read as the layout it has."""
    stated = document.get("nbformat")
    if isinstance(stated, str) and re.fullmatch(r"[0-9]{1,3}", stated):
        stated = int(stated)
    if isinstance(stated, int | float) and not isinstance(stated, bool) and stated in range(1, _NEWEST + 1):
        return int(stated)
    if stated is not None:
        raise UnreadableSubmission(
            f"{shown(name)} says nbformat {shown(stated, 20)}, expected 3 or 4; {_SAVE_AGAIN} in that format."
        )
    if "cells" not in document and "worksheets" not in document:
        raise UnreadableSubmission(
            f"{shown(name)} is JSON but not a notebook: it has no cells, expected {EXPECTED}; {_SAVE_AGAIN}."
        )
    return _NEWEST if "cells" in document else 3


def _check_language(document: dict[str, Any], name: str) -> None:
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        return
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(part)
        language = about.get(key) if isinstance(about, dict) else None
        if isinstance(language, str) and language.strip():
            if language.strip().lower() in _OTHER_LANGUAGES:
                raise UnreadableSubmission(
                    f"{shown(name)} is a notebook in {shown(language.strip(), 20)}, expected one in Python; "
                    "choose a Python kernel, save it and hand it in again."
                )
            return


def _cells(document: dict[str, Any], name: str, limits: ReadingLimits) -> list[Any]:
    cells = document.get("cells")
    if not isinstance(cells, list):
        sheets = document.get("worksheets")
        if not isinstance(sheets, list):
            raise UnreadableSubmission(f"{shown(name)} is a notebook without a list of cells; {_SAVE_AGAIN}.")
        cells = list(_sheet_cells(sheets, limits))
    if len(cells) > limits.cells:
        raise UnreadableSubmission(
            f"{shown(name)} has more than {limits.cells:,} cells, more than can be graded; "
            "hand in the notebook that you worked in."
        )
    return cells


def _sheet_cells(sheets: list[Any], limits: ReadingLimits) -> Iterator[Any]:
    left = limits.cells + 1
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if isinstance(cells, list):
            yield from cells[:left]
            left -= len(cells[:left])


def _upgraded(cells: list[Any], major: int) -> list[Any]:
    """Return an old notebook's cells as nbformat upgrades them, or as they are where it refuses them."""
    import nbformat

    plain = [
        {
            key: cell[key]
            for key in ("cell_type", "input", "source", "text", "level", "metadata")
            if key in cell
        }
        | ({"outputs": [], "language": "python"} if cell.get("cell_type") == "code" else {})
        for cell in cells
        if isinstance(cell, dict)
    ]
    if len(plain) < len(cells):
        return cells
    document: dict[str, Any] = {"nbformat": major, "nbformat_minor": 0, "metadata": {}}
    document |= {"cells": plain} if major == 1 else {"worksheets": [{"cells": plain, "metadata": {}}]}
    for cell in plain:
        for key in ("input", "source", "text"):
            if isinstance(cell.get(key), list):
                cell[key] = _joined(cell[key])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they quote the file, and nobody asked
            upgraded = nbformat.convert(nbformat.from_dict(document), 4)  # type: ignore[no-untyped-call]
        return list(upgraded["cells"])
    except Exception:  # whatever a library meets in a stranger's file; the cells are still here
        return cells


def _kind(cell: Any) -> str | None:
    if not isinstance(cell, dict):
        return None
    kind = cell.get("cell_type")
    if isinstance(kind, str):
        return kind.strip().lower()
    return "code" if "outputs" in cell or "execution_count" in cell or "input" in cell else None


def _source(cell: Any) -> str | None:
    """Return a cell's source with "\\n" line ends, or None where it has none that is text."""
    if not isinstance(cell, dict):
        return None
    for key in ("source", "input", "text"):
        if key in cell:
            source = _joined(cell[key])
            if source is None:
                return None
            level = cell.get("level")
            if cell.get("cell_type") == "heading" and isinstance(level, int) and 1 <= level <= 6:
                source = f"{'#' * level} {source}"
            source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
            return _SURROGATE.sub("\ufffd", source)
    return None


def _tags(cell: Any) -> tuple[str, ...]:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return tuple(tag[:100] for tag in tags[:20] if isinstance(tag, str)) if isinstance(tags, list) else ()


def only_a_string(source: str) -> str | None:
    """Return the text of a cell that is nothing but a string, as some write words into code cells."""
    if not _BEGINS_A_STRING.match(source) or len(source) > _LONGEST_STRING:
        return None
    last = source.rstrip().rpartition("\n")[2]
    if not last.endswith(("'", '"', ";")) and "#" not in last:
        return None  # code that begins with its docstring: parsing it would take long
    try:
        (statement,) = ast.parse(source).body
    except Exception:  # as many kinds as there are ways to be no Python
        return None
    value = statement.value if isinstance(statement, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else None
    return _SURROGATE.sub("\ufffd", text) if isinstance(text, str) else None


def _joined(source: Any) -> str | None:
    if isinstance(source, str):
        return source
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    return "" if source is None else None
