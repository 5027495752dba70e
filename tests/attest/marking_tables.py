"""Tables of marks, as a spreadsheet writes them, and a Result with something to mark."""

from __future__ import annotations

import csv
import io

from graders.result import Answer, AnswerPiece, Result, RubricResult
from tests.reports.result_maker import result

Rows = list[dict[str, str]]


def made(student: str = "ada", text: str = "The words.", **fields: object) -> Result:
    """Return a Result with one rubric item that waits, and one that is worth two points."""
    values = {"exercise": "masks", "title": "A title.", "max_points": 4.0, "guidance": "G"} | fields
    items = (
        RubricResult(id="masks/why", **values),  # type: ignore[arg-type]
        RubricResult(id="masks/how", exercise="masks", title="How.", max_points=2),
    )
    answer = Answer(
        exercise="masks",
        asks="Why?",
        pieces=(AnswerPiece(where="answers.md", text=text),),
        content_hash="sha256:" + "ab" * 32,
    )
    return result(student, "Ada", rubric=items, answers=(answer,))


def rows_of(data: bytes) -> Rows:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def table(rows: Rows, separator: str = ",", encoding: str = "utf-8") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode(encoding)
