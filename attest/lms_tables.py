"""The tables that LMSs give and take back: where the students, the grades and the maximum stand in each.

Headers may be in the teacher's language. Where a column cannot be told, it is said which columns there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graders.reading.names import listed, shown
from graders.reading.sheet import Row, Sheet

LMS = ("canvas", "moodle", "blackboard", "gradescope")
_CANVAS_COLUMN = re.compile(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)", re.DOTALL)
_BLACKBOARD_COLUMN = re.compile(r"(?P<title>.*?)\s*(?:\[(?P<about>[^\]]*)\])?\s*\|(?P<id>\d+)", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_PARTICIPANT = re.compile(r"\D*?\s*(\d{1,12})")
_GRADES = (
    "grade",
    "bewertung",
    "note",
    "calificaci\u00f3n",
    "nota",
    "valutazione",
    "cijfer",
    "karakter",
    "betyg",
)
_MAXIMA = (
    *("maximum grade", "bestwertung", "note maximale", "calificaci\u00f3n m\u00e1xima", "nota m\u00e1xima"),
    *("valutazione massima", "maximumcijfer", "maximale cijfer", "h\u00f6gsta betyg"),
)
_CHANGEABLE = (
    "grade can be changed",
    "bewertung kann ge\u00e4ndert werden",
    "la note peut \u00eatre modifi\u00e9e",
)
_NO = ("no", "nein", "non", "nee", "nej")


class TableError(ValueError):
    """A file is not the table that it was said to be. The message continues a sentence begun by its name."""


@dataclass(frozen=True)
class Layout:
    """Where everything stands in one LMS's table."""

    keys: tuple[tuple[str, int], ...]  # (kind of id, column)
    grade: int
    name: int  # what to call a student
    maximum: Callable[[Row], float | None]
    is_student: Callable[[Row], bool]
    stays: Callable[[Row], str]  # why a grade is not to be written here; "" where it is
    per_assignment: bool = False  # the ids count in this assignment alone, so the names must agree too


def layout_of(lms: str, sheet: Sheet, column: str | None, titles: Sequence[str]) -> Layout:
    """Return the layout of an LMS's table; `titles` say what the assignment may be called there.

    Raises TableError.
    """
    layouts = {"canvas": _canvas, "moodle": _moodle, "blackboard": _blackboard, "gradescope": _gradescope}
    return layouts[lms](sheet, column, titles)


def number(text: str) -> float | None:
    """Return a number as an LMS writes it, with a decimal point or comma."""
    found = _NUMBER.fullmatch(text.strip())
    return float(found[0].replace(",", ".")) if found else None


def _canvas(sheet: Sheet, column: str | None, titles: Sequence[str]) -> Layout:
    names = [name.casefold() for name in sheet.header]
    if names[:2] != ["student", "id"]:
        raise _not_the_table(sheet, "Canvas's gradebook, which begins with Student and ID", "Export it again")
    columns = {
        index: (match["title"], match["id"])
        for index, name in enumerate(sheet.header)
        if (match := _CANVAS_COLUMN.fullmatch(name))
    }
    grade = _column(sheet, columns, column, titles)
    worth = next(
        (row.text(grade) for row in sheet.rows[1:] if row.text(0).casefold() == "points possible"), ""
    )
    keys = [("canvas", 1)]
    keys += [("sis", names.index("sis user id"))] if "sis user id" in names else []
    keys += [("login", names.index("sis login id"))] if "sis login id" in names else []

    def stays(row: Row) -> str:
        found = row.text(grade).upper()
        return f"is marked {found}" if found in ("EX", "N/A") else ""

    return Layout(
        tuple(keys),
        grade,
        0,
        lambda _: number(worth),
        lambda row: bool(row.text(1)) and row.text(0) != "Student, Test",
        stays,
    )


def _moodle(sheet: Sheet, column: str | None, titles: Sequence[str]) -> Layout:  # noqa: ARG001
    students = [row for row in sheet.rows[1:] if not row.is_blank]
    if not students or not all(_PARTICIPANT.fullmatch(row.text(0)) for row in students):
        raise _not_the_table(
            sheet,
            'Moodle\'s grading worksheet, whose first column says "Participant 23"',
            'Turn on "Offline grading worksheet" and download it again',
        )
    names = [name.casefold() for name in sheet.header]
    grade = _named(sheet, column) if column else _known(names, _GRADES)
    if grade is None:
        raise TableError(f"has no column that is known to hold grades; name it by --column: {_all(sheet)}.")
    maximum, changeable = _known(names, _MAXIMA), _known(names, _CHANGEABLE)
    mails = [index for index, cell in enumerate(students[0].cells) if "@" in cell.text]
    has_name = len(names) > 1 and 1 not in (grade, *mails) and not students[0].text(1).startswith("-")

    def stays(row: Row) -> str:
        locked = changeable is not None and row.text(changeable).casefold() in _NO
        return "has a grade that cannot be changed in Moodle" if locked else ""

    return Layout(
        (("moodle", 0), *(("email", index) for index in mails[:1])),
        grade,
        1 if has_name else 0,
        lambda row: number(row.text(maximum)),
        lambda row: not row.is_blank,
        stays,
        per_assignment=True,
    )


def participant(text: str) -> str:
    """Return the number in Moodle's identifier: "23" of "Participant 23"."""
    found = _PARTICIPANT.fullmatch(text)
    return found[1] if found else text


def _blackboard(sheet: Sheet, column: str | None, titles: Sequence[str]) -> Layout:
    names = [name.casefold() for name in sheet.header]
    columns: dict[int, tuple[str, str]] = {}
    worth: dict[int, float | None] = {}
    for index, name in enumerate(sheet.header):
        if match := _BLACKBOARD_COLUMN.fullmatch(name):
            columns[index] = (match["title"], match["id"])
            found = _NUMBER.search((match["about"] or "").partition(":")[2])
            worth[index] = number(found[0]) if found else None
    if not columns or min(columns) < 3:
        raise _not_the_table(
            sheet,
            'Blackboard\'s grade centre, with columns such as "HW 1 [Total Pts: 10 Score] |664617"',
            "Download it again",
        )
    grade = _column(sheet, columns, column, titles)
    user = names.index("username") if "username" in names else 2
    keys = [("login", user)]
    keys += [("sid", names.index("student id"))] if "student id" in names else []
    return Layout(
        tuple(keys),
        grade,
        user,
        lambda _: worth[grade],
        lambda row: bool(row.text(user)),
        lambda _: "",
    )


def _gradescope(sheet: Sheet, column: str | None, titles: Sequence[str]) -> Layout:  # noqa: ARG001
    names = [name.casefold() for name in sheet.header]
    kinds = {"sid": "sid", "student id": "sid", "email": "email", "submission id": "gradescope"}
    keys = tuple((kinds[name], index) for index, name in enumerate(names) if name in kinds)
    grade = _named(sheet, column) if column else _known(names, ("total score",))
    if not keys or grade is None:
        raise _not_the_table(
            sheet,
            "Gradescope's grades, with the columns SID, Email and Total Score",
            "Name the column by --column",
        )
    maximum = _known(names, ("max points",))
    name = next((index for index, one in enumerate(names) if one in ("name", "first name")), keys[0][1])
    return Layout(
        keys, grade, name, lambda row: number(row.text(maximum)), lambda row: not row.is_blank, lambda _: ""
    )


def _column(
    sheet: Sheet, columns: dict[int, tuple[str, str]], wanted: str | None, titles: Sequence[str]
) -> int:
    """Return the assignment's own column: the one that was named, or else the one of that title."""
    if wanted is not None:
        asked = _plain(wanted)
        found = [
            index
            for index, (title, identity) in columns.items()
            if asked in (_plain(title), identity, _plain(sheet.header[index]))
        ]
    else:
        known = {_plain(title) for title in titles if title}
        found = [index for index, (title, _) in columns.items() if _plain(title) in known]
        found = found or (list(columns) if len(columns) == 1 else [])
    if len(found) == 1:
        return found[0]
    those = listed([sheet.header[index] for index in found or columns], 12)
    if not columns:
        raise TableError(
            "has no column of an assignment, which Canvas writes as “Title (id)”. Make the assignment there "
            "and export the gradebook again."
        )
    what = (
        f"several columns are called {shown(wanted or titles[0])}"
        if found
        else "no column is known to be meant"
    )
    raise TableError(f"{what}; name one by --column: {those}.")


def _named(sheet: Sheet, column: str) -> int:
    found = [index for index, name in enumerate(sheet.header) if _plain(name) == _plain(column)]
    if len(found) != 1:
        count = "no column" if not found else "more than one column"
        raise TableError(f"{count} is called {shown(column)}; there are {_all(sheet)}.")
    return found[0]


def _known(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    found = [index for index, name in enumerate(names) if name in wanted]
    return found[0] if len(found) == 1 else None


def _all(sheet: Sheet) -> str:
    return listed(list(sheet.header), 20)


def _not_the_table(sheet: Sheet, expected: str, step: str) -> TableError:
    return TableError(f"has the columns {listed(list(sheet.header), 6)}; expected {expected}. {step}.")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
