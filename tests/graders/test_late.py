"""What coming late costs: nothing within the grace, then more and more, and never below zero."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.assignment import AssignmentError, find_assignment
from graders.late import LateError, LatePolicy, extension_text, read_due, read_extension, read_policy
from graders.marks import Mark, Marks
from graders.result import (
    AssignmentInfo,
    CheckResult,
    Late,
    LoadResult,
    Result,
    RubricResult,
    Student,
    SubmissionInfo,
    Verdict,
)
from reports.student_text import student_markdown
from reports.student_view import student_view
from tests.attest.conftest import write_assignment

DUE = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
spans = st.timedeltas(timedelta(days=-3), timedelta(days=40))
policies = st.builds(
    LatePolicy,
    due=st.just(DUE),
    percent=st.floats(0, 100),
    per=st.sampled_from(["day", "hour"]),
    grace=st.timedeltas(timedelta(), timedelta(hours=5)),
    cap=st.floats(0, 100),
    of=st.sampled_from(["earned", "maximum"]),
)
extensions = st.none() | st.timedeltas(timedelta(), timedelta(days=9)) | st.just(datetime(2026, 12, 3, 12))


def result(passed: list[float], rubric: list[float | None], late: Late | None, broken: float = 0.0) -> Result:
    checks = [
        CheckResult(id=f"e/c{n}", exercise="e", title="t", points=p, max_points=10, verdict=Verdict.FAILED)
        for n, p in enumerate(passed)
    ]
    if broken:
        checks.append(
            CheckResult(
                id="e/b", exercise="e", title="t", points=0, max_points=broken, verdict=Verdict.BROKEN
            )
        )
    items = [
        RubricResult(id=f"e/r{n}", exercise="e", title="t", max_points=10, points=p)
        for n, p in enumerate(rubric)
    ]
    return Result(
        student=Student(id="lena"),
        assignment=AssignmentInfo(id="a", title="A", version="1", exercises=(("e", "E"),)),
        submission=SubmissionInfo(source="lena.py"),
        load=LoadResult(path="lena.py", kind="script"),
        checks=tuple(checks),
        rubric=tuple(items),
        started_at=DUE,
        finished_at=DUE,
        backend="none",
        device="cpu",
        seed=1,
        late=late,
    )


@given(policies, spans, extensions)
def test_nothing_is_taken_in_time_and_never_more_than_the_cap(
    policy: LatePolicy, span: timedelta, extension: timedelta | datetime | None
) -> None:
    due = policy.due_for(extension)
    late = policy.late(due + span, extension)
    if span <= policy.grace:
        assert late is None
    else:
        assert late is not None
        assert late.due_at == due
        assert late.late_seconds == span.total_seconds()
        assert 0 <= late.percent <= policy.cap


@given(policies, spans, spans)
def test_coming_later_never_costs_less(policy: LatePolicy, one: timedelta, other: timedelta) -> None:
    def percent(span: timedelta) -> float:
        late = policy.late(DUE + span)
        return late.percent if late else 0.0

    assert percent(min(one, other)) <= percent(max(one, other))


@given(policies, spans, st.timedeltas(timedelta(), timedelta(days=9)))
def test_an_extension_is_as_good_as_having_come_so_much_earlier(
    policy: LatePolicy, span: timedelta, extension: timedelta
) -> None:
    extended, earlier = policy.late(DUE + span, extension), policy.late(DUE + span - extension)
    assert (extended is None) == (earlier is None)
    if extended and earlier:
        assert (extended.percent, extended.late_seconds) == (earlier.percent, earlier.late_seconds)


points = st.lists(st.floats(0, 10), max_size=4)
lates = st.none() | st.builds(
    Late, due_at=st.just(DUE), percent=st.floats(0, 100), of=st.sampled_from(["earned", "maximum"])
)


@given(points, points, lates)
def test_points_are_never_below_zero_and_add_up(
    passed: list[float], rubric: list[float], late: Late | None
) -> None:
    one = result(passed, list(rubric), late)
    assert one.points >= 0
    assert one.late_points >= 0
    assert one.points == one.points_before_late - one.late_points
    if late is None or not late.percent:
        assert one.late_points == 0


@given(points, st.lists(st.floats(0, 10), min_size=1, max_size=4), lates, st.data())
def test_marks_that_come_one_by_one_cost_what_they_cost_at_once(
    passed: list[float], marks: list[float], late: Late | None, data: st.DataObject
) -> None:
    at_once = result(passed, list(marks), late)
    known = Marks({})
    step = result(passed, [None] * len(marks), late)
    for n in data.draw(st.permutations(range(len(marks)))):
        before = step
        mark = Mark(student="lena", item=f"e/r{n}", points=marks[n], answer="", marked_at=DUE)
        known = known.with_marks([mark])
        step = known.applied(Result.model_validate_json(step.model_dump_json(exclude=COMPUTED)))
        assert step.points_before_late == pytest.approx(before.points_before_late + marks[n])
        assert known.applied(step) is step  # the same marks again take nothing again
    assert step.points == pytest.approx(at_once.points)
    assert step.late_points == pytest.approx(at_once.late_points)


COMPUTED = {"points", "points_before_late", "late_points", "max_points", "pending_points"}


def test_points_that_wait_cost_nothing_until_they_are_there() -> None:
    for of, waiting, marked in (("earned", 1.0, 1.8), ("maximum", 1.0, 2.0)):
        late = Late(due_at=DUE, percent=10, of=of)  # type: ignore[arg-type]
        assert result([10], [None], late).late_points == pytest.approx(waiting)
        assert result([10], [None], late, broken=5).late_points == pytest.approx(waiting)
        assert result([10], [8], late).late_points == pytest.approx(marked)


def test_what_the_lms_calls_late_without_a_time_costs_nothing_and_is_said() -> None:
    policy = LatePolicy(DUE, 10)
    late = policy.late(None, late_in_lms=True)
    assert late is not None
    assert late.unknown
    assert result([10], [], late).points == 10
    assert "it is not known by how much" in student_view(result([10], [], late)).late
    assert policy.late(None) is None
    assert policy.late(DUE, late_in_lms=True) is None


def test_the_line_in_the_report() -> None:
    policy = read_policy("20% per day, at most 50%, grace 15 min", DUE)
    late = policy.late(DUE + timedelta(days=2, hours=3), timedelta(days=1))
    assert late is not None
    one = result([10, 8], [None], late)
    assert one.points == pytest.approx(10.8)
    said = (
        "Handed in 1 day 3 hours late (due 2026-12-01 23:59 UTC, 1 day of extension included): 40 % of the "
        "points earned (20 % for each day begun, at most 50 %, 15 minutes of grace). Of 18 points earned, "
        "7.2 are taken for it."
    )
    view = student_view(one)
    assert view.late == said
    assert view.score == "10.8 of 30 points"
    assert "7.2 are taken for it" in student_markdown(one)


def test_a_hidden_check_is_not_told_by_what_is_taken() -> None:
    one = result([10, 10], [], Late(due_at=DUE, percent=50))
    hidden = one.checks[1].model_copy(update={"visibility": "hidden"})
    view = student_view(one.model_copy(update={"checks": (one.checks[0], hidden)}))
    assert (view.points, view.max_points) == (5, 10)
    assert "Of 10 points earned, 5 are taken" in view.late


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30 23:59 Europe/Berlin", datetime(2026, 11, 30, 22, 59, tzinfo=UTC)),
        ("2026-11-30T23:59:30+01:00", datetime(2026, 11, 30, 22, 59, 30, tzinfo=UTC)),
        ("2026-11-30T23:59Z", datetime(2026, 11, 30, 23, 59, tzinfo=UTC)),
        ("2026-11-30 UTC", datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)),
        ("2026-11-30 10:58:14 -0800", datetime(2026, 11, 30, 18, 58, 14, tzinfo=UTC)),
    ],
)
def test_due_dates(text: str, expected: datetime) -> None:
    assert read_due(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-30 23:59", "has no time zone"),
        ("2026-11-31 23:59 UTC", "is no date"),
        ("2026-11-30 23:59 Europe/Nowhere", "is no date"),
        ("tomorrow", "is no date"),
    ],
)
def test_due_dates_that_leave_a_doubt(text: str, said: str) -> None:
    with pytest.raises(LateError, match=said):
        read_due(text)


def test_policies_in_words() -> None:
    assert read_policy("10% per day", DUE) == LatePolicy(DUE, 10)
    assert read_policy("2.5 % per hour, max 50 %, grace 15 min, of maximum", DUE) == LatePolicy(
        DUE, 2.5, "hour", timedelta(minutes=15), 50, "maximum"
    )
    assert read_policy("5%/day, 1 h grace", DUE) == LatePolicy(DUE, 5, "day", timedelta(hours=1))
    for wrong in ("", "ten percent", "10%", "120% per day", "10% per day, nonsense", "grace 15 min"):
        with pytest.raises(LateError):
            read_policy(wrong, DUE)


def test_extensions() -> None:
    assert read_extension("2 days") == timedelta(days=2)
    assert read_extension("1 day 12h") == timedelta(hours=36)
    assert read_extension("2026-12-02 12:00") == datetime(2026, 12, 2, 12)
    berlin = LatePolicy(datetime(2026, 11, 30, 23, 59, tzinfo=timezone(timedelta(hours=1))), 10)
    assert berlin.due_for(datetime(2026, 12, 2, 12)) == datetime(2026, 12, 2, 11, tzinfo=UTC)
    for wrong in ("2", "two days", "2 parsecs", "1 day later"):
        with pytest.raises(LateError, match="is no extension"):
            read_extension(wrong)


@pytest.mark.parametrize(
    ("due", "extension", "hours"),
    [
        ("2026-03-29 01:30", "1 hour", 1),  # clocks go from 2 to 3
        ("2026-03-29 01:30", "2 hours", 2),
        ("2026-03-28 23:59", "2 days", 47),
        ("2026-10-25 01:30", "2 hours", 2),  # and from 3 to 2
        ("2026-10-24 23:59", "1 day 2 hours", 27),
    ],
)
def test_an_hour_more_is_an_hour_and_a_day_more_is_a_date(due: str, extension: str, hours: int) -> None:
    policy = LatePolicy(read_due(f"{due} Europe/Berlin"), 10)

    until = policy.due_for(read_extension(extension))

    assert until.astimezone(UTC) - policy.due.astimezone(UTC) == timedelta(hours=hours)


@pytest.mark.parametrize("extension", ["2026-11-30 12:00", "2026-11-30 23:59+05:00", "0 days"])
def test_an_extension_makes_nothing_due_earlier(extension: str) -> None:
    policy = LatePolicy(DUE, 10)

    assert policy.due_for(read_extension(extension)) == DUE
    assert policy.late(DUE, read_extension(extension)) is None


@pytest.mark.parametrize(
    "text", ["9999-12-31", "9999-12-31 23:59 America/New_York", "0001-01-01 00:00", "99999 weeks"]
)
def test_a_time_that_is_none_in_another_zone_is_not_taken(text: str) -> None:
    with pytest.raises(LateError, match="expected"):
        read_extension(text)


def test_the_table_of_an_assignment(tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "doubling")
    toml = folder / "assignment.toml"
    plain = toml.read_text()
    before = find_assignment(folder).info.content_hash
    toml.write_text(
        f'{plain}\n[late]\ndue = 2026-11-30T23:59:00\nzone = "Europe/Berlin"\n'
        "percent = 10\ngrace_minutes = 5\n"
    )
    assignment = find_assignment(folder)
    assert assignment.late is not None
    assert assignment.late.due == datetime(2026, 11, 30, 22, 59, tzinfo=UTC)
    assert assignment.late.grace == timedelta(minutes=5)
    with_late = assignment.info.content_hash
    toml.write_text(toml.read_text().replace("11-30", "12-01"))
    assert find_assignment(folder).info.content_hash == with_late
    for table, said in (
        ("due = 2026-11-30T23:59:00", "has no time zone"),
        ('due = 2026-11-30T23:59:00\nzone = "Mars/Base"', "there is no time zone"),
        ("due = 2026-11-30T23:59:00Z\npercent = 120", "less than or equal to 100"),
        ("due = 2026-11-30T23:59:00Z\nfine = 3", "unknown key 'late.fine'"),
    ):
        toml.write_text(f"{plain}\n[late]\n{table}\n")
        with pytest.raises(AssignmentError, match=said):
            find_assignment(folder)
    assert before.startswith("sha256:")


def test_the_hour_that_summer_time_gives_back_counts() -> None:
    due = read_due("2026-10-24 23:59 Europe/Berlin")
    policy = LatePolicy(due, 10, "hour")
    late = policy.late(datetime(2026, 10, 25, 4, 0, tzinfo=policy.zone))
    assert late is not None
    assert late.late_seconds == 5 * 3600 + 60
    extended = policy.late(datetime(2026, 10, 26, 0, 0, tzinfo=policy.zone), timedelta(days=1))
    assert extended is not None
    assert (extended.late_seconds, extended.extension_seconds) == (60, 25 * 3600)


@pytest.mark.parametrize(
    "text", ["2 days", "36 hours", "90 min", "1 day 12 h 5 min", "2026-12-02 23:59", "2026-12-02T23:59+01:00"]
)
def test_an_extension_is_written_as_it_is_read(text: str) -> None:
    extension = read_extension(text)

    assert read_extension(extension_text(extension)) == extension
