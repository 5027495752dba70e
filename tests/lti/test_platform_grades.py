"""The platform made for tests keeps grades as LMSs do: Moodle by what was measured, Canvas by its source."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.lti.platform import Platform, faults
from tests.lti.platform.client import Client, below
from tests.lti.platform.gradebooks import CANVAS_SUBMISSION, SCORE
from tests.lti.platform.tokens import LINE_ITEM_READ, RESULT

NOW = float(int(time.time()))


@pytest.fixture
def at() -> Iterator[Callable[[str], Client]]:
    """A tool at a platform of this kind."""
    running: list[Platform] = []

    def start(mode: str) -> Client:
        running.append(Platform(mode))
        return Client(running[-1])

    yield start
    for platform in running:
        platform.end()


@pytest.fixture
def moodle(at: Callable[[str], Client]) -> Client:
    return at("moodle")


@pytest.fixture
def canvas(at: Callable[[str], Client]) -> Client:
    return at("canvas")


def test_moodle_scales_a_score_to_its_own_maximum(moodle: Client) -> None:
    assert moodle.score("s1", 35, NOW - 10, maximum=40).status == 200
    assert moodle.grade("s1") == 17.5


@pytest.mark.parametrize("later", [0.0, -1.0, 0.9])
def test_moodle_refuses_a_time_that_is_not_a_second_later(moodle: Client, later: float) -> None:
    moodle.score("s1", 35, NOW - 10)
    answer = moodle.score("s1", 40, NOW - 10 + later)
    assert (answer.status, answer.body) == (409, [])
    assert moodle.grade("s1") == 17.5


def test_moodle_takes_a_time_a_day_ahead_and_refuses_what_is_true_afterwards(moodle: Client) -> None:
    assert moodle.score("s1", 35, NOW + 86_400).status == 200
    assert moodle.score("s1", 40, NOW).status == 409


@pytest.mark.parametrize(("given", "kept"), [(22, 20.0), (-1, 0.0)])
def test_moodle_clamps_a_score_to_the_column(moodle: Client, given: float, kept: float) -> None:
    assert moodle.score("s1", given, NOW - 10, maximum=20).status == 200
    assert moodle.grade("s1") == kept


def test_moodle_removes_a_grade_when_none_is_sent(moodle: Client) -> None:
    moodle.score("s1", 35, NOW - 10)
    assert moodle.score("s1", None, NOW - 8, gradingProgress="Pending").status == 200
    assert moodle.grade("s1") is None


def test_moodle_keeps_no_score_that_a_person_is_to_look_at(moodle: Client) -> None:
    assert moodle.score("s1", 35, NOW - 10, gradingProgress="PendingManual").status == 200
    assert moodle.grade("s1") is None


@pytest.mark.parametrize("subject", ["nobody", "t1", "a1", "s9"])
def test_moodle_gives_no_reason_for_somebody_who_is_no_student(moodle: Client, subject: str) -> None:
    answer = moodle.score(subject, 35, NOW - 10)
    assert (answer.status, answer.body) == (400, [])


def test_moodle_returns_markup_in_a_comment_as_it_came(moodle: Client) -> None:
    moodle.score("s1", 35, NOW - 10, comment="<script>alert(1)</script>")
    [result] = moodle.call("GET", below(moodle.line_item, "results")).body
    assert result["comment"] == "<script>alert(1)</script>"
    assert (result["resultScore"], result["resultMaximum"]) == (17.5, 20)
    assert result["timestamp"].startswith(time.strftime("%Y-%m-%dT%H:%M", time.localtime(NOW - 10)))


def test_moodle_rescales_grades_when_the_maximum_changes(moodle: Client) -> None:
    moodle.score("s1", 35, NOW - 10)
    told = moodle.call("GET", moodle.line_item).body
    assert moodle.call("PUT", moodle.line_item, {**told, "scoreMaximum": 40}).status == 200
    assert moodle.grade("s1") == 35.0


def test_moodle_needs_the_query_of_its_addresses(moodle: Client) -> None:
    bare = moodle.line_item.partition("?")[0]
    assert moodle.line_item != bare
    assert moodle.call("GET", moodle.line_item).status == 200
    assert moodle.call("GET", bare).status == 403


def test_canvas_refuses_an_older_time_with_400(canvas: Client) -> None:
    canvas.score("s1", 35, NOW - 10)
    answer = canvas.score("s1", 40, NOW - 11)
    assert answer.status == 400
    assert "before last updated timestamp" in answer.body["errors"]["message"]


def test_canvas_takes_the_same_time_again(canvas: Client) -> None:
    canvas.score("s1", 35, NOW - 10)
    assert canvas.score("s1", 40, NOW - 10).status == 200
    assert canvas.grade("s1") == 20


def test_canvas_knows_no_student_of_another_role(canvas: Client) -> None:
    assert canvas.score("t1", 35, NOW - 10).status == 422


def test_canvas_counts_every_score_that_does_not_say_that_it_is_none(canvas: Client) -> None:
    canvas.platform.course.line_items[str(canvas.link.line_item)].attempts_allowed = 1
    assert canvas.score("s1", 30, NOW - 10).status == 200
    assert canvas.score("s1", 35, NOW - 9).status == 422
    again = canvas.score("s1", 35, NOW - 8, **{CANVAS_SUBMISSION: {"new_submission": False}})
    assert again.status == 200
    assert canvas.grade("s1") == 17.5


def test_canvas_keeps_a_score_that_a_person_is_to_look_at(canvas: Client) -> None:
    canvas.score("s1", 35, NOW - 10, gradingProgress="PendingManual")
    assert canvas.grade("s1") == 17.5


def test_canvas_says_that_it_is_asked_too_often(canvas: Client) -> None:
    canvas.platform.next["scores"] = [faults.throttled()]
    answer = canvas.score("s1", 35, NOW - 10)
    assert (answer.status, answer.body) == (403, "403 Forbidden (Rate Limit Exceeded)\n")
    assert canvas.score("s1", 35, NOW - 10).status == 200


def test_blackboard_shows_students_what_is_released(at: Callable[[str], Client]) -> None:
    blackboard = at("blackboard")
    blackboard.score("s1", 35, NOW - 10)
    gradebook, item = blackboard.platform.gradebook, blackboard.platform.course.line_items["41"]
    assert gradebook.seen_by_students(item, "s1") == 17.5  # type: ignore[attr-defined]
    told = blackboard.call("GET", blackboard.line_item).body
    blackboard.call("PUT", blackboard.line_item, {**told, "gradesReleased": False})
    assert gradebook.seen_by_students(item, "s1") is None  # type: ignore[attr-defined]


def test_brightspace_has_no_column_until_the_tool_makes_one(at: Callable[[str], Client]) -> None:
    brightspace = at("brightspace")
    assert brightspace.link.line_item is None
    url = brightspace.platform.service_url("c7", "lineitems")
    told = {"label": "Attention", "scoreMaximum": 10, "resourceId": "attest-9", "tag": "attest"}
    made = brightspace.call("POST", url, told)
    assert made.status == 201
    assert made.headers["Content-Type"] == "application/vnd.ims.lis.v2.lineitem+json"
    assert brightspace.call("GET", url + "?resource_id=attest-9").body == [made.body]
    assert brightspace.call("GET", url + "?resource_id=attest-1").body == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"timestamp": "2026-11-30 10:00:00"},
        {"timestamp": "2026-11-30T10:00:00"},
        {"gradingProgress": "Done"},
        {"activityProgress": ""},
        {"scoreGiven": "35"},
        {"userId": None},
    ],
)
def test_a_score_that_is_wrong_changes_nothing(moodle: Client, wrong: dict[str, object]) -> None:
    assert moodle.score("s1", 35, NOW - 10, **wrong).status == 400
    assert moodle.grade("s1") is None


def test_only_the_media_type_of_scores_is_taken(moodle: Client) -> None:
    assert moodle.call("POST", below(moodle.line_item, "scores"), {}, "application/json").status == 400


def test_a_column_belongs_to_one_tool(moodle: Client) -> None:
    other = Client(moodle.platform, "other-tool")
    own_name = moodle.line_item.replace("type_id=2", "type_id=3")
    assert other.call("GET", own_name).status == 403
    assert other.call("DELETE", own_name).status == 403
    url = moodle.platform.service_url("c7", "lineitems", "other-tool")
    assert [item["id"] for item in other.call("GET", url).body] == [other.line_item]


def test_a_column_that_is_deleted_is_gone(moodle: Client) -> None:
    url = moodle.line_item
    assert moodle.call("DELETE", url).status == 204
    assert moodle.call("GET", url).status == 404


def test_a_token_opens_what_it_was_asked_for(moodle: Client) -> None:
    token = moodle.token(LINE_ITEM_READ, RESULT)
    assert moodle.call("GET", moodle.line_item, token=token).status == 200
    assert moodle.call("PUT", moodle.line_item, {"label": "x"}, token=token).status == 403
    assert moodle.call("POST", below(moodle.line_item, "scores"), {}, SCORE, token=token).status == 403


def test_scores_are_kept_in_the_order_in_which_they_came(moodle: Client) -> None:
    moodle.score("s1", 10, NOW - 10)
    moodle.score("s2", 20, NOW - 10)
    moodle.score("s1", 30, NOW - 10)
    told = [(one.score["userId"], one.status) for one in moodle.platform.services.received]
    assert told == [("s1", 200), ("s2", 200), ("s1", 409)]


def test_the_weather_is_the_same_for_the_same_seed(moodle: Client) -> None:
    said = []
    for _ in range(2):
        moodle.platform.weather = faults.Weather(0.5, seed=7, retry_after=2)
        answers = [moodle.call("GET", moodle.line_item) for _ in range(20)]
        said.append([answer.status for answer in answers])
        busy = [answer for answer in answers if answer.status != 200]
        assert {answer.status for answer in busy} == {429, 503}
        assert {answer.headers["Retry-After"] for answer in busy} == {"2"}
    assert said[0] == said[1]


def test_a_score_may_be_kept_although_the_answer_says_no(moodle: Client) -> None:
    moodle.platform.weather = faults.Weather(1, statuses=(503,), done=1)
    assert moodle.score("s1", 35, NOW - 10).status == 503
    assert moodle.grade("s1") == 17.5
    moodle.platform.weather = faults.Weather(1, statuses=(503,), done=0)
    assert moodle.score("s2", 35, NOW - 10).status == 503
    assert moodle.grade("s2") is None
