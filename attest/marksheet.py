"""The table in which people mark: one row for each student and rubric item, out as CSV and back again.

What comes back has been through a spreadsheet: another separator, decimal commas, another encoding, rows in
another order. It is read as far as it is plain what is meant; everything else is a problem with its line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graders.marks import Mark, answer_id
from graders.reading import sheet as tables
from graders.result import Result, RubricResult
from reports.amounts import points_text
from reports.gradebook import cell
from reports.visible_text import one_line, visible_text

COLUMNS = (
    *("student", "name", "exercise", "item", "title", "max_points", "points", "comment"),
    *("answer", "guidance", "asks", "answer_id", "note"),
)
NEEDED = ("student", "item", "points")
MOST_COMMENT = 5_000
MOST_CELL = 32_000  # characters; a spreadsheet cuts what is longer
MOST_PROBLEMS = 50
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠']")
_NUMBER = re.compile(r"\d{1,6}(?:[.,]\d{1,6})?|[.,]\d{1,6}")


@dataclass(frozen=True)
class Sheet:
    """What a table says: marks, or the problems because of which none of them counts."""

    marks: tuple[Mark, ...] = ()
    unmarked: int = 0  # rows without points
    problems: tuple[str, ...] = ()  # sentences without the file's name: "line 7: …"


def sheet_csv(results: Iterable[Result]) -> bytes:
    """Return the table of these results, with the marks given so far, as UTF-8 with a byte-order mark.

    Spreadsheets take that mark for the sign of UTF-8. Items of one exercise stand together.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    rows = [
        (result.rubric.index(item), result, item)
        for result in sorted(results, key=lambda one: one.student.id)
        for item in result.rubric
    ]
    for _, result, item in sorted(rows, key=lambda row: row[0]):
        table.writerow(_row(result, item))
    return ("\ufeff" + text.getvalue()).encode("utf-8", "replace")


def _row(result: Result, item: RubricResult) -> list[str]:
    answer = next((one for one in result.answers if one.exercise == item.exercise), None)
    marked = item.marked_at is not None
    written = "\n\n".join(piece.text for piece in answer.pieces) if answer else ""
    note = "" if item.answered else "no answer was found, so this item has 0 points until it is marked"
    if item.answer_changed:
        note = "the answer has changed since it was marked"
    return [
        cell(result.student.id),
        cell(result.student.name),
        cell(item.exercise),
        cell(item.id),
        cell(item.title),
        points_text(item.max_points),
        points_text(item.points) if marked and item.points is not None else "",
        _text_cell(item.comment) if marked else "",
        _text_cell(written),
        _text_cell(item.guidance),
        _text_cell(answer.asks if answer else ""),
        f"#{answer_id(answer.content_hash)}" if answer else "",
        note,
    ]


def _text_cell(text: str) -> str:
    """Return text of any length that no spreadsheet takes for a formula, with its line ends."""
    shown = visible_text(text)
    if len(shown) > MOST_CELL:
        shown = f"{shown[:MOST_CELL]} …"
    return f"'{shown}" if _FORMULA.match(shown) else shown


def read_sheet(data: bytes, results: Iterable[Result], now: datetime) -> Sheet:
    """Read a table that was marked. Nothing of it counts unless all of it is right."""
    try:
        rows = list(_rows(data))
    except ValueError as error:
        return Sheet(problems=(str(error),))
    known = _Known(results)
    marks: dict[tuple[str, str], Mark] = {}
    lines: dict[tuple[str, str], int] = {}
    problems: list[str] = []
    unmarked = 0
    for line, row in rows:
        try:
            key = known.key(row)
        except ValueError as error:
            problems.append(f"line {line}: {error}")
            continue
        if key in lines:
            problems.append(
                f"line {line}: {_who(key)} is there twice, in line {lines[key]} too; keep one of them."
            )
            continue
        lines[key] = line
        result, item = known.exact[key]
        try:
            mark = _mark(row, result, item, now)
        except ValueError as error:
            problems.append(f"line {line}: {_who(key)}: {error}")
            continue
        if mark is None:
            unmarked += 1
        else:
            marks[key] = mark
    if problems:
        return Sheet(problems=tuple(problems))
    return Sheet(tuple(marks.values()), unmarked)


class _Known:
    """The rows that there may be, by student and item as they were written."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.exact = {
            (cell(result.student.id).strip(), cell(item.id).strip()): (result, item)
            for result in results
            for item in result.rubric
        }
        self._alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for key in self.exact:
            self._alike.setdefault((_name(key[0]), _name(key[1])), []).append(key)

    def key(self, row: dict[str, str]) -> tuple[str, str]:
        """Return the key that a row means. Raises ValueError, a sentence, where it means none or several.

        Two students may differ by an apostrophe alone, which a spreadsheet drops; then their answers tell.
        """
        loose = _name(row["student"]), _name(row["item"])
        alike = self._alike.get(loose, [])
        if not alike:
            raise ValueError(_unknown(loose, self._alike))
        if len(alike) == 1:
            return alike[0]
        exported = _exported(row)
        same = [key for key in alike if exported and self._answer(key) == exported]
        if len(same) == 1:
            return same[0]
        written = row["student"].strip(), row["item"].strip()
        if written in alike and (not exported or written in same):
            return written
        names = " and ".join(_who(key) for key in alike)
        raise ValueError(
            f"{_who(loose)} could be any of {names}, whose names differ by an apostrophe. Mark these with a "
            "table that was exported anew and not saved by a spreadsheet."
        )

    def _answer(self, key: tuple[str, str]) -> str:
        result, item = self.exact[key]
        return answer_id(_answer_hash(result, item))


def _answer_hash(result: Result, item: RubricResult) -> str:
    return next((one.content_hash for one in result.answers if one.exercise == item.exercise), "")


def _exported(row: dict[str, str]) -> str:
    """Return the answer id that a row was exported with, or nothing."""
    found = row.get("answer_id", "").strip().strip("'#")
    return found if re.fullmatch(r"[0-9a-f]{12}", found) else ""


def _mark(row: dict[str, str], result: Result, item: RubricResult, now: datetime) -> Mark | None:
    """Return the mark in a row; None where it has none. Raises ValueError with the rest of a sentence."""
    points, comment = row["points"].strip(), _comment(row.get("comment", ""))
    if not points:
        earlier = item.comment if item.marked_at else ""
        if comment and comment != _comment(_text_cell(earlier)):
            raise ValueError("has a comment and no points; give points too, or take the comment out.")
        return None
    if not _NUMBER.fullmatch(points):
        raise ValueError(
            f"points is {one_line(points, 40)!r}; expected a number from 0 to "
            f"{points_text(item.max_points)}, or nothing."
        )
    value = float(points.replace(",", "."))
    if value > item.max_points:
        raise ValueError(f"points is {points}, but the item is worth {points_text(item.max_points)}.")
    if len(comment) > MOST_COMMENT:
        raise ValueError(
            f"the comment has {len(comment):,} characters; {MOST_COMMENT:,} are kept. Shorten it."
        )
    now_there = _answer_hash(result, item)
    seen = _exported(row) or answer_id(now_there)
    unchanged = (
        item.marked_at is not None
        and item.points == value
        and item.comment == comment
        and (not item.answer_changed or seen != answer_id(now_there))
    )
    return Mark(
        student=result.student.id,
        item=item.id,
        points=value,
        comment=comment,
        answer=seen,
        marked_at=item.marked_at if unchanged and item.marked_at else now,
    )


def _rows(data: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells by column. Raises ValueError where this is no such table."""
    sheet = tables.read_sheet(data, again="export it anew with `attest rubric OUT --export`")
    columns = [name.casefold() for name in sheet.header]
    lacking = [name for name in NEEDED if name not in columns]
    if lacking:
        raise ValueError(
            f"line 1: the column {lacking[0]!r} is missing; expected the columns of "
            f"`attest rubric OUT --export`: {', '.join(COLUMNS)}."
        )
    doubled = [name for name in NEEDED if columns.count(name) > 1]
    if doubled:
        raise ValueError(f"line 1: the column {doubled[0]!r} is there twice; keep one of them.")
    for row in sheet.rows[1:]:
        if not row.is_blank:
            texts = [cell.text for cell in row.cells] + [""] * (len(columns) - len(row.cells))
            yield row.line, dict(zip(columns, texts, strict=False))


def _name(text: str) -> str:
    """Return a name as it is compared: spreadsheets may drop the apostrophe before a formula."""
    return text.strip().lstrip("'").strip()


def _comment(text: str) -> str:
    """Return a comment as it was meant: without the apostrophe that keeps it from being a formula."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return text[1:].strip() if text.startswith("'") and _FORMULA.match(text[1:]) else text


def _who(key: Sequence[str]) -> str:
    return f"{one_line(key[0], 80)} ({one_line(key[1], 80)})"


def _unknown(key: tuple[str, str], known: Iterable[tuple[str, str]]) -> str:
    pairs = list(known)
    if not key[0]:
        return "has no student."
    if all(student != key[0] for student, _ in pairs):
        return f"there is no student {one_line(key[0], 80)!r} with rubric items in this run."
    items = sorted({item for student, item in pairs if student == key[0]})
    return f"there is no rubric item {one_line(key[1], 80)!r}; there are {one_line(', '.join(items), 400)}."
