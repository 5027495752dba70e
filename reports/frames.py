"""Results as tables for other programs: pandas frames, and what they are written as.

`checks_frame` has one row for each student and check or rubric item, so questions such as "which checks do
those who fail this one fail too" are one `groupby` away. docs/tables.md says what each column holds. No cell
that begins a spreadsheet's formula is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from graders.result import CheckResult, Result, RubricResult, Verdict
from reports.cohort import row_of
from reports.gradebook import cell, rows_frame
from reports.visible_text import visible_text

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

_FAILURES = frozenset({Verdict.FAILED, Verdict.MISSING, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.OUTPUT})
# What XML 1.0 has no way to say.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_TEXT = 4000


def students_frame(results: Iterable[Result]) -> pandas.DataFrame:
    """One row for each student, with the columns of grades.csv."""
    return rows_frame([row_of(result) for result in results])


def checks_frame(results: Iterable[Result]) -> pandas.DataFrame:
    """One row for each student and check, or rubric item, in the order of the assignment."""
    import pandas

    rows = [row for result in results for row in _rows(result)]
    return pandas.DataFrame(rows, columns=list(_NAMES)).astype(_NAMES)


_NAMES = {
    "student_id": "string",
    "attempt": "int64",
    "exercise": "string",
    "check": "string",
    "kind": "string",  # check, or rubric
    "title": "string",
    "verdict": "string",  # of a check; marked or waits of a rubric item
    "visibility": "string",
    "points": "float64",  # missing while it waits for a person
    "max_points": "float64",
    "message": "string",
    "diagnosis": "string",  # the variant's id
    "diagnosis_title": "string",
    "seconds": "float64",
    "cpu_seconds": "float64",
    "peak_memory_bytes": "Int64",
    "adjusted": "string",  # dropped or given, of a check that was found wrong
}


def _rows(result: Result) -> Iterable[tuple[Any, ...]]:
    who = (cell(result.student.id), result.submission.attempt)
    for check in result.checks:
        named = check.diagnosis
        yield (
            *who,
            cell(check.exercise),
            cell(check.id),
            "check",
            cell(check.title),
            check.verdict.value,
            check.visibility.value,
            check.points,
            check.max_points,
            cell(check.message),
            cell(named.variant) if named else None,
            cell(named.title) if named else None,
            check.seconds,
            check.cpu_seconds,
            check.peak_memory_bytes,
            check.adjusted.kind if check.adjusted else None,
        )
    for item in result.rubric:
        said = "waits" if item.waits else "marked"
        yield (
            *who,
            cell(item.exercise),
            cell(item.id),
            "rubric",
            cell(item.title),
            said,
            "always",
            item.points,
            item.max_points,
            cell(item.comment),
            *([None] * 6),
        )


def junit_xml(results: Sequence[Result]) -> bytes:
    """Return JUnit's XML: a suite for each student, a case for each check, points as properties."""
    root = ET.Element("testsuites", name=_xml(results[0].assignment.title if results else "attest"))
    totals = [0, 0, 0, 0]
    for result in results:
        suite, counts = _suite(result)
        root.append(suite)
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
    _count(root, totals)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(result: Result) -> tuple[ET.Element, list[int]]:
    suite = ET.Element(
        "testsuite",
        name=_xml(result.student.id),
        timestamp=result.started_at.isoformat(timespec="seconds"),
        time=f"{(result.finished_at - result.started_at).total_seconds():.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("status", result.status.value),
        ("points", f"{result.points:g}"),
        ("max_points", f"{result.max_points:g}"),
        ("pending_points", f"{result.pending_points:g}"),
        ("content_hash", _xml(result.submission.content_hash)),
    ):
        ET.SubElement(properties, "property", name=name, value=value)
    outcomes = [_case(suite, check) for check in result.checks]
    outcomes += [_item(suite, item) for item in result.rubric]
    if result.message and not outcomes:
        outcomes.append(_whole(suite, result))
    counts = [len(outcomes), *(outcomes.count(kind) for kind in ("failure", "error", "skipped"))]
    _count(suite, counts)
    return suite, counts


def _count(element: ET.Element, counts: Sequence[int]) -> None:
    for name, count in zip(("tests", "failures", "errors", "skipped"), counts, strict=True):
        element.set(name, str(count))


def _case(suite: ET.Element, check: CheckResult) -> str:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_xml(check.exercise),
        name=_xml(check.id.rpartition("/")[2]),
        time=f"{check.seconds:.3f}",
    )
    _points(case, check.points, check.max_points)
    if check.verdict is Verdict.PASSED:
        return ""
    kind = "failure" if check.verdict in _FAILURES else "error"
    kind = "skipped" if check.verdict is Verdict.SKIPPED else kind
    _end(case, kind, check.verdict.value, check.message)
    return kind


def _item(suite: ET.Element, item: RubricResult) -> str:
    case = ET.SubElement(suite, "testcase", classname=_xml(item.exercise), name=_xml(item.title), time="0")
    _points(case, item.points, item.max_points)
    if not item.waits:
        return ""
    _end(case, "skipped", "waits", "It waits for a person.")
    return "skipped"


def _whole(suite: ET.Element, result: Result) -> str:
    case = ET.SubElement(suite, "testcase", classname="submission", name="submission", time="0")
    _end(case, "error", result.status.value, result.message)
    return "error"


def _points(case: ET.Element, points: float | None, most: float) -> None:
    properties = ET.SubElement(case, "properties")
    ET.SubElement(properties, "property", name="points", value="" if points is None else f"{points:g}")
    ET.SubElement(properties, "property", name="max_points", value=f"{most:g}")


def _end(case: ET.Element, kind: str, verdict: str, message: str) -> None:
    text = _xml(message)
    element = ET.SubElement(case, kind, type=verdict, message=text.partition("\n")[0][:500])
    element.text = text


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", visible_text(text[:_MOST_TEXT]))
