"""What Gradescope says of a submission: read as far as it can be, and never more than it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from attest.packages.gradescope_metadata import MetadataError, policy_of, read_metadata
from graders.late import LatePolicy

from .laid_out import CREATED, metadata

TEN_A_DAY = LatePolicy(datetime(2026, 1, 1, tzinfo=UTC), 10.0)


def read(folder: Path, document: Any) -> Any:
    (folder / "m.json").write_text(json.dumps(document))
    return read_metadata(folder / "m.json")


def test_who_handed_in_and_when_and_when_it_was_due(tmp_path: Path) -> None:
    found = read(tmp_path, metadata(late=timedelta(hours=3)))
    assert (found.student.id, found.student.name) == ("lena@example.edu", "Lena")
    assert found.created_at == CREATED
    assert found.due == CREATED - timedelta(hours=3)
    assert found.total_points == 5


def test_times_keep_their_offset(tmp_path: Path) -> None:
    found = read(tmp_path, metadata(created_at="2026-07-01T14:22:32.365935-07:00"))
    assert found.created_at == datetime(2026, 7, 1, 21, 22, 32, 365935, tzinfo=UTC)


def test_a_group_is_named_by_all(tmp_path: Path) -> None:
    users = [{"email": "a@x.edu", "name": "Ana"}, {"email": "b@x.edu", "name": "Bo"}]
    assert read(tmp_path, metadata(users=users)).student.name == "Ana, Bo"


@pytest.mark.parametrize(
    "odd", [{}, {"users": None, "assignment": [], "previous_submissions": {"a": 1}, "created_at": 5}]
)
def test_what_is_not_said_is_not_known(tmp_path: Path, odd: Any) -> None:
    found = read(tmp_path, odd)
    assert (found.created_at, found.due, found.earlier) == (None, None, ())


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_metadata_is_refused(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "m.json").write_bytes(broken)
    with pytest.raises(MetadataError):
        read_metadata(tmp_path / "m.json")


def test_missing_metadata_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MetadataError, match=r"m\.json"):
        read_metadata(tmp_path / "m.json")


def test_a_rerun_looks_only_at_what_came_before(tmp_path: Path) -> None:
    document = metadata({"score": 1.0}, {"score": 2.0})
    document["previous_submissions"].append(
        {"submission_time": (CREATED + timedelta(days=1)).isoformat(), "score": 9.0, "results": {}}
    )
    assert [one.score for one in read(tmp_path, document).earlier] == [1.0, 2.0]


def test_it_was_due_when_gradescope_says(tmp_path: Path) -> None:
    found = read(tmp_path, metadata(late=timedelta(days=1, minutes=1)))
    late = found.late(policy_of(TEN_A_DAY, None, found.due))
    assert late.percent == 20
    assert late.late_seconds == 86_460


def test_a_policy_of_the_export_stands_in_place_of_the_assignments(tmp_path: Path) -> None:
    found = read(tmp_path, metadata(late=timedelta(hours=5)))
    late = found.late(policy_of(TEN_A_DAY, "2% per hour, at most 8%", found.due))
    assert late.percent == 8
    assert found.late(policy_of(TEN_A_DAY, "none", found.due)) is None


def test_a_students_own_due_date_counts(tmp_path: Path) -> None:
    own = {"due_date": (CREATED + timedelta(days=1)).isoformat()}
    users = [{"email": "lena@example.edu", "name": "Lena", "assignment": own}]
    found = read(tmp_path, metadata(late=timedelta(days=1), users=users))
    assert found.late(policy_of(TEN_A_DAY, None, found.due)) is None


def test_without_any_due_date_nothing_is_late(tmp_path: Path) -> None:
    found = read(tmp_path, metadata(assignment={}))
    assert policy_of(None, "10% per day", found.due) is None
    assert policy_of(None, None, found.due) is None
