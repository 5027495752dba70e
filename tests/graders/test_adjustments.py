"""A check that was found wrong is dropped or given for everybody, and what it said is never forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graders.adjustments import (
    Adjustment,
    Adjustments,
    AdjustmentsError,
    read_adjustments,
    read_overlay,
    write_adjustments,
)
from graders.result import Late, Result, Status, Verdict
from tests.reports.result_maker import passing, result

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CHECK = "masks/test_padding_mask"  # of 2 points; the others have 18


def made(verdict: Verdict, **fields: object) -> Result:
    return result("ada", "Ada", checks=passing(test_padding_mask={"verdict": verdict}), **fields)


def adjusted(kind: str, *checks: str) -> Adjustments:
    return Adjustments(
        Adjustment.model_validate({"check": check, "kind": kind, "reason": "it was wrong", "at": NOW})
        for check in checks or (CHECK,)
    )


@pytest.mark.parametrize(
    ("verdict", "kind", "points"),
    [
        (Verdict.PASSED, "dropped", (18, 18, 0)),
        (Verdict.FAILED, "dropped", (18, 18, 0)),
        (Verdict.BROKEN, "dropped", (18, 18, 0)),
        (Verdict.PASSED, "given", (20, 20, 0)),
        (Verdict.FAILED, "given", (20, 20, 0)),
        (Verdict.BROKEN, "given", (20, 20, 0)),
    ],
)
def test_it_counts_for_nobody_or_in_full_for_all(
    verdict: Verdict, kind: str, points: tuple[float, ...]
) -> None:
    before = made(verdict)
    now = adjusted(kind).applied(before)
    assert (now.points, now.max_points, now.pending_points) == points
    assert [check.verdict for check in now.checks] == [check.verdict for check in before.checks]
    assert adjusted(kind).applied(now) is now
    assert Adjustments().applied(now) == before
    assert Adjustments().applied(before) is before


def test_one_adjustment_follows_another_from_what_the_check_said() -> None:
    before = made(Verdict.FAILED)
    given = adjusted("given").applied(adjusted("dropped").applied(before))
    assert given == adjusted("given").applied(before)


def test_nothing_is_given_for_what_could_not_be_read() -> None:
    before = made(Verdict.MISSING, status=Status.UNREADABLE)
    assert adjusted("given").applied(before) is before
    assert adjusted("dropped").applied(before).max_points == 18


def test_what_coming_late_takes_follows() -> None:
    late = Late(due_at=NOW, late_seconds=60, percent=50)
    assert made(Verdict.FAILED, late=late).points == 9
    assert adjusted("given").applied(made(Verdict.FAILED, late=late)).points == 10


def test_a_check_of_another_name_stays() -> None:
    before = made(Verdict.FAILED)
    assert adjusted("given", "masks/test_of_old").applied(before) is before


def test_they_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert not read_overlay(tmp_path)
    written = adjusted("given", CHECK, "masks/test_other")
    write_adjustments(written, tmp_path)
    assert set(read_adjustments(tmp_path)) == set(written)
    write_adjustments(written.changed([], [CHECK, "masks/test_other"]), tmp_path)
    assert not list(read_adjustments(tmp_path))
    assert read_overlay(tmp_path)  # an older Result may have to be taken back yet


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{", "Invalid JSON"),
        (
            '{"adjustments": [{"check": "a/b", "kind": "dropped", "reason": "", "at": 0}]}',
            "adjustments.0.reason",
        ),
        ('{"adjusted": []}', "adjusted"),
    ],
)
def test_a_damaged_file_is_named_with_the_field(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "adjustments.json").write_text(text)
    with pytest.raises(AdjustmentsError, match=rf"adjustments\.json: .*{named}.*move it away"):
        read_adjustments(tmp_path)
