"""What is read from files: submissions, assignments, marks, Results. The good ones are the project's own."""

from __future__ import annotations

import io
import json
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from attest.marksheet import read_sheet, sheet_csv
from attest.student_text import student_text
from graders.adjustments import Adjustments, AdjustmentsError, read_adjustments
from graders.assignment import AssignmentError, find_assignment, read_assignment
from graders.marks import MarksError, read_marks
from graders.output import Output, OutputError
from graders.prose.finding import AnswerFinder
from graders.prose.outcome import answers_and_rubric
from graders.reading import (
    CohortError,
    ReadingLimits,
    Submission,
    UnreadableSubmission,
    find_submissions,
    read_submission,
)
from graders.reading.names import relative_name
from graders.result import ResultError, read_result
from graders.stated import stated_shape
from reports import student_html, student_markdown
from reports.cohort import row_of
from reports.gradebook import rows_csv
from reports.index_page import rows_html
from reports.student_view import student_view
from tests.fuzz.properties import Violated, sentence
from tests.graders.cohort.test_output import RUN
from tests.reports import made_results

ROOT = Path(__file__).resolve().parents[2]
COHORT = ROOT / "examples" / "cohort"
TIGHT = ReadingLimits(
    file_bytes=40_000, total_bytes=100_000, archive_bytes=100_000, files=20, entries=50, cells=50
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_SMALL = 40_000


def _files(*patterns: str) -> list[bytes]:
    found = [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [data for data in found if len(data) <= _SMALL]


def notebooks() -> list[bytes]:
    return [
        *_files("examples/cohort/*.ipynb", "assignments/**/starter/*.ipynb", "assignments/lab/**/*.ipynb"),
        *_files("tests/graders/reading/data/*.ipynb"),
    ]


def scripts() -> list[bytes]:
    return _files("examples/cohort/*.py", "assignments/*/*/solution/*.py", "assignments/*/*/variants/*.py")[
        ::3
    ]


def words() -> list[bytes]:
    return _files("assignments/**/answers*.md", "assignments/**/two_answers.md", "assignments/**/handout.md")


def zips() -> list[bytes]:
    program, notebook = scripts()[0], notebooks()[0]
    return [
        *_files("examples/cohort/*.zip"),
        zipped({"hw/attention.py": program, "hw/a.ipynb": notebook, "answers.md": words()[0]}),
        zipped({"lena_12_attention.py": program, "omar_LATE_13_14_hw.ipynb": notebook}),
        zipped({"Lena Lovelace_123_assignsubmission_file_/attention.py": program}),
        zipped({"hw/inner.zip": zipped({"attention.py": program})}),
    ]


def zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def assignments() -> list[bytes]:
    return _files("assignments/**/assignment.toml")


@cache
def _results() -> tuple[made_results.Result, ...]:
    return tuple(one for one in vars(made_results).values() if isinstance(one, made_results.Result))


def results() -> list[bytes]:
    documents = [one.model_dump_json().encode() for one in _results()]
    return [document for document in documents if len(document) <= _SMALL]


def sheets() -> list[bytes]:
    sheet = sheet_csv(_results())
    return [sheet, sheet.replace(b",", b";"), sheet.decode("utf-8-sig").encode("utf-16")]


def mark_files() -> list[bytes]:
    mark = {"student": "ada", "item": "masks/why", "points": 1.5, "comment": "good", "answer": "0123456789ab"}
    marks = [
        mark | {"marked_at": "2026-01-01T00:00:00Z"},
        mark | {"student": "b", "marked_at": NOW.isoformat()},
    ]
    return [json.dumps({"schema_version": 1, "marks": marks}).encode()]


def adjustment_files() -> list[bytes]:
    adjustment = {"reason": "it was wrong", "by": "lee", "at": NOW.isoformat()}
    checks = [check.id for result in _results() for check in result.checks][:2]
    kinds = ("dropped", "given")
    adjustments = [adjustment | {"check": c, "kind": k} for c, k in zip(checks, kinds, strict=True)]
    return [json.dumps({"schema_version": 1, "adjustments": adjustments}).encode()]


def runs() -> list[bytes]:
    return [
        RUN.model_dump_json().encode(),
        RUN.model_copy(update={"finished_at": NOW}).model_dump_json().encode(),
    ]


@contextmanager
def written(name: str, data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        yield path


@cache
def _finder() -> tuple[AnswerFinder, object]:
    lesson = find_assignment("lesson")
    return AnswerFinder(lesson), lesson


def reading(name: str, *inside: str) -> Callable[[bytes], None]:
    """What is handed in under this name ends as a Submission, or as one sentence.

    The sentence has the name in it, or one of those `inside`.
    """

    def check(data: bytes) -> None:
        with written(name, data) as path:
            try:
                submission = read_submission(path, ["attention.py"], names=["f"], limits=TIGHT, words="any")
            except UnreadableSubmission as error:
                sentence(str(error), name, *inside)
                return
        _check_submission(submission)
        finder, lesson = _finder()
        for note in finder.notes(submission):
            sentence(note)
        found = finder.find(submission)
        answers_and_rubric(lesson, found)  # type: ignore[arg-type]
        for one in found:
            stated_shape(one.written)

    return check


def _check_submission(submission: Submission) -> None:
    if sum(map(len, submission.files.values())) > 3 * TIGHT.total_bytes:
        raise Violated("more was read than may be")
    for note in submission.notes:
        sentence(note)
    for name in submission.files:
        if relative_name(name) != name:
            raise Violated(f"a file called {name!r}")
    for program in submission.programs:
        if program.path not in submission.files or not program.cells or "\0" in "".join(program.cells):
            raise Violated(f"a program {program.path!r} that is none")
        "".join(program.cells).encode()


def check_cohort(data: bytes) -> None:
    """A zip of a whole cohort: students with clean names, or one sentence."""
    with written("cohort.zip", data) as path:
        try:
            cohort = find_submissions([path], ["attention.py"])
        except CohortError as error:
            sentence(str(error).replace(str(path.parent), ""), "zip")
            return
        for problem in cohort.problems:
            sentence(problem.replace(str(path.parent), ""))
        identities = [found.student.id for found in cohort.found]
        if len(set(identities)) != len(identities):
            raise Violated(f"two students of one name: {identities}")
        for found in cohort.found[:3]:
            if (
                found.student.id != unicodedata.normalize("NFC", found.student.id)
                or not found.student.id.isprintable()
            ):
                raise Violated(f"a student called {found.student.id!r}")
            try:
                found.read(["attention.py"], names=["f"], limits=TIGHT)
            except UnreadableSubmission as error:
                sentence(str(error))


def check_assignment(data: bytes) -> None:
    """assignment.toml: an assignment, or a sentence with the file in it."""
    with written("assignment.toml", data) as path:
        try:
            read_assignment(path.parent)
        except AssignmentError as error:
            sentence(str(error).replace(str(path.parent.resolve()), ""), "assignment.toml")


def check_sheet(data: bytes) -> None:
    """A table of marks: marks that fit their items, or problems with their lines."""
    sheet = read_sheet(data, _results(), NOW)
    for problem in sheet.problems:
        sentence(problem)
    most = {(one.student.id, item.id): item.max_points for one in _results() for item in one.rubric}
    for mark in sheet.marks:
        if not 0 <= mark.points <= most[mark.student, mark.item]:
            raise Violated(f"a mark that does not fit: {mark}")


def check_marks(data: bytes) -> None:
    """marks.json: marks, or a sentence."""
    with written("marks.json", data) as path:
        try:
            marks = read_marks(path.parent)
        except MarksError as error:
            sentence(str(error).replace(str(path.parent), ""), "marks.json")
            return
    for result in _results():
        marks.applied(result)


def check_adjustments(data: bytes) -> None:
    """adjustments.json: adjustments that can be taken back, or a sentence."""
    with written("adjustments.json", data) as path:
        try:
            adjustments = read_adjustments(path.parent)
        except AdjustmentsError as error:
            sentence(str(error).replace(str(path.parent), ""), "adjustments.json")
            return
    for result in _results():
        now = adjustments.applied(result)
        if Adjustments().applied(now) != result:
            raise Violated("an adjustment that cannot be taken back")
        for line in student_view(now).adjusted if now is not result else ():
            sentence(line)


def check_run(data: bytes) -> None:
    """run.json of an earlier run: gone on with, or a sentence."""
    with written("run.json", data) as path:
        try:
            with Output(path.parent, "resume", str):
                pass
        except OutputError as error:
            sentence(str(error).replace(str(path.parent), ""), "run.json")


def check_result(data: bytes) -> None:
    """A Result: every document that is made of it can be made; or a sentence."""
    with written("ada.json", data) as path:
        try:
            result = read_result(path)
        except ResultError as error:
            sentence(str(error).replace(str(path.parent), ""), "ada.json")
            return
    row = row_of(result)
    pages = [
        student_html(result),
        student_markdown(result),
        rows_html([row], {}, ()),
        rows_csv([row]).decode(),
    ]
    for text in (*pages, student_text(student_view(result)).plain):
        text.encode()
        if "\x1b" in text or "\u202e" in text:
            raise Violated("a document that a terminal or browser would obey")
