"""Grades into the table that an LMS gave: which row is whose, what is written, and what is left as it came.

A pure function of the table and the results. Only cells of the assignment's own column change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from attest.lms_tables import Layout, TableError, layout_of, number, participant
from graders.reading.joining import spellings
from graders.reading.names import clean, listed, shown
from graders.reading.sheet import Row, Sheet, SheetError, read_sheet
from graders.result import Result, Status
from reports.amounts import points_noun, points_text

_SAME = {"blackboard": "login", "nbgrader": "login"}
_NUMBERS = frozenset({"canvas", "moodle", "gradescope"})
_COMMA = re.compile(r"\d+,\d+")
_POINT = re.compile(r"\d+\.\d+")
_MOST_NAMED = 20


@dataclass(frozen=True)
class Filled:
    """A table with grades in it, and everything that its instructor should know."""

    data: bytes
    written: int
    matched: tuple[tuple[Row, Result], ...]
    left: tuple[str, ...]  # sentences: grades that are not there, and why
    notes: tuple[str, ...]  # sentences: what is as it should be, and worth knowing


@dataclass
class _Work:
    values: dict[tuple[int, int], str] = field(default_factory=dict)
    matched: list[tuple[Row, Result]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    rowless: list[str] = field(default_factory=list)
    doubtful: set[str] = field(default_factory=set)  # whose rows there are, but of which it was said why not


def fill(
    data: bytes, lms: str, results: Sequence[Result], *, column: str | None = None, scale: bool | None = None
) -> Filled:
    """Fill the grades of `results` into an LMS's table.

    `scale` says what to do where the LMS counts other points than the assignment: convert, or write them as
    they are. Raises TableError, which continues a sentence begun by the file's name.
    """
    try:
        sheet = read_sheet(data)
    except SheetError as error:
        raise TableError(str(error)) from None
    titles = [results[0].assignment.title, results[0].assignment.id] if results else []
    layout = layout_of(lms, sheet, column, titles)
    work = _Work()
    rows = _rows_of(sheet, layout, results, work)
    worth = max((result.max_points for result in results), default=0.0)
    comma = _decimal_comma(sheet)
    for index, result in rows.items():
        row = sheet.rows[index]
        work.matched.append((row, result))
        points = _points(row, layout, result, work)
        if points is None:
            continue
        maximum = layout.maximum(row)
        text = points_text(_converted(points, worth, maximum, scale))
        text = text.replace(".", ",") if comma else text
        before = row.text(layout.grade)
        if before and number(before) != number(text):
            work.replaced.append(f"{_name(row, layout)} ({shown(before)}, now {text})")
        if before != text:
            work.values[index, layout.grade] = text
    there = {one.student.id for one in rows.values()} | work.doubtful
    unmatched = [one for one in results if one.student.id not in there]
    work.left += [_not_there(one, lms) for one in unmatched[:_MOST_NAMED]]
    if len(unmatched) > _MOST_NAMED:
        work.left.append(f"{len(unmatched) - _MOST_NAMED:,} more have no row in the file.")
    notes = []
    if work.rowless:
        notes.append(f"In the file and not in the results, so left as they came: {listed(work.rowless, 10)}.")
    if work.replaced:
        notes.append(f"Another grade stood there and was replaced: {listed(work.replaced, 10)}.")
    return Filled(
        sheet.replaced(work.values) if work.values else data,
        len(work.values),
        tuple(work.matched),
        tuple(work.left),
        tuple(notes),
    )


def feedback_files(table: Filled, page: Callable[[Result], bytes | None]) -> Iterator[tuple[str, bytes]]:
    """Yield what Moodle takes as feedback files: a folder for each participant, with the report.

    `page` returns a report; None where there is none. Moodle finds the participant behind the first
    underscore, so a name has none here.
    """
    for row, result in table.matched:
        decided = result.status in (Status.GRADED, Status.UNREADABLE) and not result.waiting_points
        text = page(result) if decided else None
        if text is None:
            continue
        name = row.text(1) if len(row.cells) > 1 and "@" not in row.text(1) else ""
        plain = "".join(" " if char in '_/\\:*?"<>|' else char for char in clean(name, " "))
        who = " ".join(plain.split())[:100].strip(" .") or "Participant"
        yield f"{who}_{participant(row.text(0))}_assignfeedback_file/feedback.html", text


def _points(row: Row, layout: Layout, result: Result, work: _Work) -> float | None:
    """Return the points to write; None where nothing is to be written, which is then said."""
    why = layout.stays(row)
    who = _name(row, layout)
    if why:
        work.left.append(f"{who} {why}; it was left as it came.")
    elif result.status is Status.NOT_GRADED:
        work.left.append(
            f"{who} could not be graded, through no fault of the student's; no grade was written."
        )
    elif result.waiting_points:
        work.left.append(
            f"{who} has {points_noun(result.waiting_points)} that wait for a person; no grade was written."
        )
    elif result.pending_points:
        work.left.append(
            f"{who} has {points_noun(result.pending_points)} pending, since a check broke; no grade was "
            "written."
        )
    else:
        return result.points
    return None


def _converted(points: float, worth: float, maximum: float | None, scale: bool | None) -> float:
    """Return points on the LMS's scale. Raises TableError where it is another and nobody said what to do."""
    if maximum is None or not worth or abs(maximum - worth) < 0.005 or scale is False:
        return points
    if scale is None:
        raise TableError(
            f"counts {points_text(maximum)} points where the assignment has {points_text(worth)}. Say "
            "--scale to convert the grades, or --no-scale to write them as they are."
        )
    return points * maximum / worth


def _rows_of(sheet: Sheet, layout: Layout, results: Sequence[Result], work: _Work) -> dict[int, Result]:
    """Return whose rows are whose: only those of which there is no doubt."""
    typed: dict[tuple[str, str], list[Result]] = defaultdict(list)
    anyhow: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        student = result.student
        for kind, value in {*student.ids, ("email", student.email), ("id", student.id)}:
            if value:
                typed[_SAME.get(kind, kind), _plain(value)].append(result)
                if kind not in _NUMBERS:
                    anyhow[_plain(value)].append(result)
    found: dict[int, Result] = {}
    for index, row in enumerate(sheet.rows[1:], 1):
        if not layout.is_student(row):
            continue
        keys = [(kind, _key(kind, row.text(at))) for kind, at in layout.keys if row.text(at)]
        candidates = _different(one for key in keys for one in typed.get(key, ()))
        if not candidates:
            values = [value for kind, value in keys if kind not in _NUMBERS]
            candidates = _different(one for value in values for one in anyhow.get(value, ()))
        if not candidates:
            work.rowless.append(_name(row, layout))
        elif len(candidates) > 1:
            ids = [one.student.id for one in candidates]
            work.doubtful.update(ids)
            who = listed(ids)
            work.left.append(
                f"{_name(row, layout)} (line {row.line}) may be any of {who}; no grade was written."
            )
        elif layout.per_assignment and not _agree(row, layout, candidates[0]):
            work.doubtful.add(candidates[0].student.id)
            work.left.append(
                f"{_name(row, layout)} (line {row.line}) has the number of "
                f"{shown(candidates[0].student.name)}; is this the worksheet of another assignment? No grade "
                "was written."
            )
        else:
            found[index] = candidates[0]
    return _once(sheet, found, work)


def _once(sheet: Sheet, found: dict[int, Result], work: _Work) -> dict[int, Result]:
    """Leave out who would have two rows."""
    rows: dict[str, list[int]] = defaultdict(list)
    for index, result in found.items():
        rows[result.student.id].append(index)
    for identity, indices in rows.items():
        if len(indices) > 1:
            work.doubtful.add(identity)
            lines = listed([f"line {sheet.rows[index].line}" for index in indices])
            work.left.append(f"{shown(identity)} would have several rows ({lines}); no grade was written.")
    return {index: one for index, one in found.items() if len(rows[one.student.id]) == 1}


def _agree(row: Row, layout: Layout, result: Result) -> bool:
    """Whether a row's address or name is the result's too, as far as both are known."""
    ours_too = {_plain(value) for _, value in result.student.ids}
    ours_too |= {_plain(result.student.id), _plain(result.student.email)}
    if any(
        _plain(row.text(at)) in ours_too for kind, at in layout.keys if kind not in _NUMBERS and row.text(at)
    ):
        return True
    theirs = row.text(layout.name)
    if layout.name == 0 or not result.student.name or participant(theirs) == participant(row.text(0)):
        return True
    ours = result.student.name
    packed = spellings(ours) & spellings(theirs)  # a group's name may stand before ours
    return bool(packed) or any(one.endswith(other) for one in spellings(ours) for other in spellings(theirs))


def _key(kind: str, text: str) -> str:
    return participant(text) if kind == "moodle" else _plain(text)


def _name(row: Row, layout: Layout) -> str:
    return shown(row.text(layout.name) or row.text(layout.keys[0][1]) or f"line {row.line}")


def _not_there(result: Result, lms: str) -> str:
    points = "" if result.status is Status.NOT_GRADED else f" ({points_noun(result.points)})"
    name = f", {shown(result.student.name)}," if result.student.name else ""
    return (
        f"{shown(result.student.id)}{name} has no row in the file{points}; look it up in {lms.capitalize()}."
    )


def _decimal_comma(sheet: Sheet) -> bool:
    texts = [cell.text.strip() for row in sheet.rows[1:200] for cell in row.cells]
    commas = any(_COMMA.fullmatch(text) for text in texts)
    return commas and not any(_POINT.fullmatch(text) for text in texts)


def _different(results: Iterable[Result]) -> list[Result]:
    return list({result.student.id: result for result in results}.values())


def _plain(text: str) -> str:
    return " ".join(clean(text).split()).casefold()
