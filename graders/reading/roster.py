"""The roster: who is in the course, so that submissions get their names and who handed in nothing is known.

A CSV of the instructor's own (id, name, email, section, extension, submitted_at, and ids of any LMS), or the
table that Canvas, Moodle, Blackboard or Gradescope gave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from graders.late import Extension, LateError, read_extension, read_moment
from graders.reading.cohort import CohortError
from graders.reading.folder import refused_by_system, shown_name
from graders.reading.identity import student_id
from graders.reading.names import clean, listed, shown
from graders.reading.sheet import Row, Sheet, SheetError, read_sheet
from graders.result import Student

_FIELDS = {
    "id": ("id", "student_id", "student"),
    "name": ("name", "full_name", "student_name"),
    "first": ("first_name", "firstname", "given_name"),
    "last": ("last_name", "lastname", "surname", "family_name"),
    "email": ("email", "e_mail", "email_address", "mail"),
    "section": ("section", "sections", "group", "class"),
    "extension": ("extension", "extended", "extra_time"),
    "submitted_at": ("submitted_at", "submission_time", "last_modified_submission"),
}
_IDS = {
    "canvas": ("canvas", "canvas_id", "canvas_user_id"),
    "canvas_anonymous": ("canvas_anonymous", "canvas_anonymous_id", "anonymous_id"),
    "moodle": ("moodle", "moodle_id", "participant", "participant_id", "moodle_participant", "identifier"),
    "sis": ("sis", "sis_id", "sis_user_id", "id_number"),
    "login": (
        "login",
        "sis_login_id",
        "username",
        "user_name",
        "blackboard",
        "blackboard_id",
        "netid",
        "user",
    ),
    "sid": ("sid", "gradescope", "gradescope_id"),
    "nbgrader": ("nbgrader", "nbgrader_id"),
    "git": ("git", "github", "github_id", "gitlab"),
}
_PREFERRED = (
    "sid",
    "login",
    "sis",
    "email",
    "nbgrader",
    "git",
    "canvas",
    "moodle",
)  # as an id, without a column
_OF_AN_LMS = {
    "identifier",
    "availability",
    "sid",
}  # columns of Moodle's, Blackboard's and Gradescope's tables
_IDENTIFIER = re.compile(r"(?P<word>\D*?)\s*(?P<number>\d{1,12})")
T = TypeVar("T")
_MOODLE_TIME = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%A, %d %B %Y, %I:%M:%S %p",
    "%d/%m/%Y, %H:%M",
)


@dataclass(frozen=True)
class Person:
    """One line of the roster."""

    student: Student
    extension: Extension | None = None
    submitted_at: datetime | None = None  # where the LMS's download does not tell
    line: int = 0


@dataclass(frozen=True)
class Roster:
    """Everybody in the course."""

    people: tuple[Person, ...]
    unused: tuple[str, ...] = ()  # columns of a table of one's own that hold nothing known


@dataclass
class _Columns:
    """Which column holds what."""

    fields: dict[str, int] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    canvas: bool = False
    lms: bool = False  # the table is an LMS's, which has many columns that are no roster's

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that hold nothing known, where somebody may miss them."""
        known = {*self.fields.values(), *self.ids.values()}
        return (
            () if self.lms else tuple(name for at, name in enumerate(self.names) if name and at not in known)
        )

    def text(self, row: Row, name: str) -> str:
        return " ".join(clean(row.text(self.fields.get(name))).split())


def read_roster(path: Path) -> Roster:
    """Read a roster. Raises CohortError, which names line and column."""
    label = shown_name(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CohortError(refused_by_system(error).of(label).sentence) from None
    return roster_of(data, label)


def roster_of(data: bytes, label: str) -> Roster:
    """Read a roster that lies in memory, which sentences call `label`. Raises CohortError."""
    try:
        sheet = read_sheet(data)
    except SheetError as error:
        raise CohortError(f"{label}: {error}") from None
    columns = _columns(sheet, label)
    people: list[Person] = []
    problems: list[str] = []
    for row in sheet.rows[1:]:
        if row.is_blank or (columns.canvas and _is_no_student(row, columns)):
            continue
        try:
            people.append(_person(row, columns))
        except LateError as error:
            problems.append(f"{label}: line {row.line}, {error}.")
    problems += _doubled(people, label)
    if problems:
        more = f" And {len(problems) - 5} more like these." if len(problems) > 5 else ""
        raise CohortError(" ".join(problems[:5]) + more)
    if not people:
        raise CohortError(f"{label}: has no students below its first line; expected one in each line.")
    return Roster(tuple(people), columns.unused)


def _columns(sheet: Sheet, label: str) -> _Columns:
    names = [re.sub(r"[^\w]+", "_", name.casefold()).strip("_") for name in sheet.header]
    columns = _Columns(names=sheet.header, canvas=names[:2] == ["student", "id"])
    columns.lms = columns.canvas or bool(_OF_AN_LMS & set(names))
    if columns.canvas:  # its gradebook: the name first, then Canvas's own id
        names[:2] = ["name", "canvas"]
    for known, into in ((_FIELDS, columns.fields), (_IDS, columns.ids)):
        for kind, synonyms in known.items():
            at = [index for index, name in enumerate(names) if name in synonyms]
            if len(at) > 1 and kind in ("id", "email", "extension"):
                both = listed([sheet.header[index] for index in at])
                raise CohortError(
                    f"{label}: line 1: {both} may all be the {kind}; keep one of these columns."
                )
            if at:
                into[kind] = at[0]
    for index, name in enumerate(names):
        if name.endswith("_id") and index not in (*columns.ids.values(), *columns.fields.values()):
            columns.ids[name.removesuffix("_id")] = index
    if "moodle" not in columns.ids and "id" not in columns.fields and _is_worksheet(sheet):
        columns.ids["moodle"] = 0  # Moodle's worksheet in another language
        columns.lms = True
        columns.fields.setdefault("name", 1)
        mail = [i for i, cell in enumerate(sheet.rows[1].cells) if "@" in cell.text]
        if mail:
            columns.fields.setdefault("email", mail[0])
    if not ({"id", "email"} & set(columns.fields) or columns.ids):
        raise CohortError(
            f"{label}: line 1: no column holds an id; found {listed(sheet.header)}; expected id, email, or "
            "an id of an LMS, such as canvas_id."
        )
    return columns


def _is_worksheet(sheet: Sheet) -> bool:
    found = [_IDENTIFIER.fullmatch(row.text(0)) for row in sheet.rows[1:50]]
    return bool(found) and all(found) and len({match["word"] for match in found if match}) == 1


def _is_no_student(row: Row, columns: _Columns) -> bool:
    """Whether a line of Canvas's gradebook is about points, posting, or the student made for trying out."""
    return not row.text(columns.ids["canvas"]) or row.text(0) == "Student, Test"


def _person(row: Row, columns: _Columns) -> Person:
    ids = {kind: " ".join(clean(row.text(at)).split()) for kind, at in columns.ids.items()}
    if "moodle" in ids and (match := _IDENTIFIER.fullmatch(ids["moodle"])):
        ids["moodle"] = match["number"]
    ids = {kind: value for kind, value in ids.items() if value}
    email = columns.text(row, "email")
    if email:
        ids["email"] = email
    identity = columns.text(row, "id") or next((ids[kind] for kind in _PREFERRED if kind in ids), "")
    identity = identity or next(iter(ids.values()), "")
    if not identity:
        raise LateError(f"column {_column(columns, 'id')}: is empty, and so is every other id")
    name = columns.text(row, "name") or " ".join(
        part for part in (columns.text(row, "first"), columns.text(row, "last")) if part
    )
    student = Student(
        id=student_id(identity, is_folder=True),
        name=name[:200],
        email=email,
        section=columns.text(row, "section")[:200],
        ids=tuple(ids.items()),
    )
    extension, submitted = columns.text(row, "extension"), columns.text(row, "submitted_at")
    return Person(
        student,
        _read(columns, "extension", extension, read_extension) if extension else None,
        _submitted(columns, submitted) if submitted not in ("", "-") else None,
        row.line,
    )


def _column(columns: _Columns, name: str) -> str:
    at = columns.fields.get(name)
    return shown(columns.names[at]) if at is not None else name


def _submitted(columns: _Columns, text: str) -> datetime:
    for form in _MOODLE_TIME:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return _read(columns, "submitted_at", text, read_moment)


def _read(columns: _Columns, name: str, text: str, read: Callable[[str], T]) -> T:
    try:
        return read(text)
    except LateError as error:
        raise LateError(f"column {_column(columns, name)}: {error}") from None


def _doubled(people: Sequence[Person], label: str) -> list[str]:
    """Say which lines have one id: of two, nobody could tell whose a submission is."""
    problems = []
    seen: dict[tuple[str, str], Person] = {}
    for person in people:
        for kind, value in (("id", person.student.id), *person.student.ids):
            other = seen.setdefault((kind, value.casefold()), person)
            if other is not person:
                problems.append(
                    f"{label}: line {person.line}, column {kind}: {shown(value)} is in line {other.line} "
                    "too; each student needs an id of their own."
                )
    return problems
