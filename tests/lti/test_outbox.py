"""The rules by which a score leaves: its time, its content, and what an answer means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attest.lti.ags import ScoreThere
from attest.lti.errors import Answered, LTIError, Unreachable
from attest.lti.outbox import (
    Score,
    What,
    after_conflict,
    equals,
    lowers,
    may_be_sent,
    message,
    next_stamp,
    outcome,
)

MONDAY = 1_796_040_000.0  # seconds since the epoch: 2026-11-30 12:00 UTC
SCORE = Score(points=35.0, maximum=40.0, attempt=2, handed_in_at=MONDAY, made_at=MONDAY + 90.25)
NEW_SUBMISSION = "https://canvas.instructure.com/lti/submission"


def answered(status: int, body: bytes = b"", *, final: bool = True, again_in: float = 0.0) -> Answered:
    return Answered(f"answered {status}", status=status, body=body, final=final, again_in=again_in)


def test_a_score_is_sent_raw_with_its_true_maximum_and_both_times() -> None:
    assert message(replace(SCORE, comment="35 of 40 points."), "u-17", int(MONDAY) + 90) == {
        "userId": "u-17",
        "scoreGiven": 35.0,
        "scoreMaximum": 40.0,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "timestamp": "2026-11-30T12:01:30.000+00:00",
        "submission": {"submittedAt": "2026-11-30T12:00:00.000+00:00"},
        "comment": "35 of 40 points.",
    }


@pytest.mark.parametrize(("sent_attempt", "is_new"), [(None, True), (1, True), (2, False)])
def test_canvas_counts_an_attempt_only_where_something_new_was_handed_in(
    sent_attempt: int | None, is_new: bool
) -> None:
    sent = message(SCORE, "u-17", 1, family="canvas", sent_attempt=sent_attempt)
    assert sent[NEW_SUBMISSION] == {"new_submission": is_new}
    assert NEW_SUBMISSION not in message(SCORE, "u-17", 1, family="moodle", sent_attempt=sent_attempt)


def test_points_without_anything_handed_in_have_no_such_time_and_are_no_attempt() -> None:
    sent = message(replace(SCORE, handed_in_at=None, attempt=0), "u-17", 1, family="canvas")
    assert "submission" not in sent
    assert sent[NEW_SUBMISSION] == {"new_submission": False}


@pytest.mark.parametrize("family", ["moodle", "blackboard", "brightspace", "sakai", "other", "canvas"])
def test_what_is_still_marked_goes_to_canvas_alone(family: str) -> None:
    assert may_be_sent(SCORE, family)
    assert may_be_sent(replace(SCORE, pending=True), family) is (family == "canvas")
    assert message(replace(SCORE, pending=True), "u", 1)["gradingProgress"] == "PendingManual"


def test_the_first_time_is_when_the_score_was_made() -> None:
    assert next_stamp(SCORE, last=None, now=MONDAY + 5000) == MONDAY + 90


@given(
    made=st.floats(0, 2e9),
    sends=st.lists(st.floats(0, 5), min_size=1, max_size=20),
    floors=st.lists(st.floats(0, 2e9), min_size=20, max_size=20),
)
def test_times_grow_by_a_second_at_least_and_wait_for_the_clock(
    made: float, sends: list[float], floors: list[float]
) -> None:
    now, last = 1e9, None
    for pause, floor in zip(sends, floors, strict=False):
        now += pause
        stamp = next_stamp(replace(SCORE, made_at=made), last=last, now=now, floor=floor)
        assert last is None or stamp >= last + 1
        if stamp > now:  # nothing is sent before its time
            assert stamp <= max(floor, (last or 0) + 1)
            now = float(stamp)
        last = stamp


def test_a_clock_that_was_set_back_has_the_next_score_wait() -> None:
    assert next_stamp(SCORE, last=int(MONDAY) + 3600, now=MONDAY + 100) == MONDAY + 3601


@pytest.mark.parametrize(
    ("points", "maximum", "is_lower"),
    [
        (35.0, 40.0, False),
        (34.9, 40.0, False),
        (36.0, 40.0, True),
        (17.5, 20.0, False),
        (17.50001, 20.0, False),
        (18.0, 20.0, True),
        (None, None, False),
        (None, 20.0, False),
        (5.0, 0.0, False),
        (5.0, -1.0, False),
    ],
)
def test_a_grade_is_lowered_by_its_share_not_by_its_points(
    points: float | None, maximum: float | None, is_lower: bool
) -> None:
    assert lowers(SCORE, points, maximum) is is_lower


def test_scores_that_a_platform_could_not_tell_apart_have_one_digest() -> None:
    later = replace(SCORE, made_at=MONDAY + 5000, comment="in other words")
    assert later.digest == SCORE.digest
    others = [
        replace(SCORE, points=34.0),
        replace(SCORE, maximum=41.0),
        replace(SCORE, attempt=3),
        replace(SCORE, pending=True),
        replace(SCORE, handed_in_at=MONDAY + 1),
    ]
    assert len({one.digest for one in (SCORE, *others)}) == 1 + len(others)


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 502, 503])
def test_what_may_heal_is_tried_again_ever_more_slowly(status: int) -> None:
    waits = [outcome(answered(status, final=False), tries=tries) for tries in range(1, 30)]
    assert {one.what for one in waits} == {What.WAIT}
    assert [one.again_in for one in waits[:4]] == [2.0, 4.0, 8.0, 16.0]
    assert waits[-1].again_in == 300.0


def test_a_platform_that_says_how_long_is_waited_for() -> None:
    assert outcome(answered(429, final=False, again_in=120.0), tries=1).again_in == 120.0
    assert outcome(answered(429, final=False, again_in=1.0), tries=5).again_in == 32.0


def longest(error: LTIError, *, answers_others: bool) -> float:
    return max(outcome(error, tries=tries, answers_others=answers_others).again_in for tries in range(1, 30))


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_who_had_bad_luck_with_a_platform_that_answers_others_is_not_long_behind(status: int) -> None:
    assert longest(answered(status, final=False), answers_others=True) == 60.0
    assert longest(answered(status, final=False), answers_others=False) == 300.0


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (answered(403, b"403 Forbidden (Rate Limit Exceeded)\n", final=False), 60.0),
        (answered(403, b"not yours", final=False), 300.0),
        (answered(401, final=False), 300.0),
        (answered(500, final=False), 300.0),
        (Unreachable("it did not answer in time"), 300.0),
        (answered(429, final=False, again_in=900.0), 900.0),
    ],
)
def test_what_is_no_bad_luck_is_not_asked_more_often(error: LTIError, seconds: float) -> None:
    assert longest(error, answers_others=True) == seconds


def test_a_platform_that_is_not_reached_is_tried_again() -> None:
    found = outcome(Unreachable("it did not answer in time"), tries=1)
    assert (found.what, found.said) == (What.WAIT, "it did not answer in time")


@pytest.mark.parametrize(
    ("family", "error", "what"),
    [
        ("moodle", answered(409, b"[]"), What.READ),
        ("canvas", answered(400, b"Provided timestamp of 1 before last updated timestamp of 2"), What.READ),
        ("canvas", answered(400, b"Provided timestamp of soon not a valid timestamp."), What.END),
        ("canvas", answered(422), What.END),
        ("moodle", answered(400, b"[]"), What.END),
        ("sakai", answered(404), What.END),
    ],
)
def test_an_answer_is_read_again_or_the_end_as_each_lms_means_it(
    family: str, error: LTIError, what: What
) -> None:
    assert outcome(error, tries=1, family=family).what is what


def test_the_end_says_what_an_lms_that_gives_no_reason_means() -> None:
    said = outcome(answered(400, b"[]"), tries=1, family="moodle").said
    assert "not enrolled in the course as a student" in said


def test_after_a_conflict_what_is_there_already_is_not_sent_again() -> None:
    there = ScoreThere("u-17", points=17.5, maximum=20.0, at=MONDAY)
    assert equals(SCORE, there)
    assert after_conflict(SCORE, there, MONDAY) is None


def test_after_a_conflict_the_next_time_is_later_than_what_is_there() -> None:
    ahead = ScoreThere("u-17", points=3.0, maximum=20.0, at=MONDAY + 86_400)
    assert after_conflict(SCORE, ahead, MONDAY) == MONDAY + 86_401
    silent = ScoreThere("u-17", points=3.0, maximum=20.0)
    assert after_conflict(SCORE, silent, MONDAY) == MONDAY
    assert after_conflict(SCORE, None, MONDAY) == MONDAY
