"""Tokens, columns, scores, results and rosters, asked for over HTTP of a platform that behaves as LMSs do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import jwt
import pytest

from attest.lti import ags, nrps, service
from attest.lti.claims import read
from attest.lti.errors import Answered, Unreachable
from attest.lti.keys import OwnKey, new_key, public_jwks
from attest.lti.outbox import Score, What, message, outcome
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from tests.lti.forging import MOODLE, claims_of, opened
from tests.lti.memory import MemoryStore
from tests.lti.platform import Platform, faults
from tests.lti.platform.world import Tool

NOW = time.time()
SCORE = Score(points=35.0, maximum=40.0, attempt=1, handed_in_at=NOW - 100, made_at=NOW - 50)
KEY = new_key(NOW)


@dataclass(frozen=True)
class Side:
    """A platform, and a tool of it with its column and its services."""

    platform: Platform
    tool: Tool
    key: OwnKey
    service: Service
    line_item: str
    line_items: str

    def grade(self, subject: str) -> float | None:
        (item,) = self.platform.course.line_items.values()
        return item.grades[subject].score if subject in item.grades else None

    def send(self, subject: str = "s1", *, at: float = NOW, **changed: Any) -> None:
        sent = message(replace(SCORE, **changed), subject, int(at), family=self.platform.mode)
        ags.post_score(self.service, self.line_item, sent)

    def asked(self, name: str) -> int:
        return sum(one == name for one, _ in self.platform.asked)


def sides(mode: str) -> Iterator[Side]:
    with Platform(mode) as platform:
        tool = platform.add_tool(
            "http://tool.example/login", "http://tool.example/launch", public_jwks([KEY])
        )
        link = platform.add_assignment(tool)
        course = platform.course
        column = (
            platform.services.item_url(course, course.line_items[link.line_item]) if link.line_item else ""
        )
        web = Web(allow_private=True, read_seconds=2, total_seconds=4)
        service = Service(web, Tokens(web, lambda: KEY), platform.registration(tool))
        all_columns = platform.service_url(course.id, "lineitems", tool.client_id)
        yield Side(platform, tool, KEY, service, column, all_columns)


@pytest.fixture
def moodle() -> Iterator[Side]:
    yield from sides("moodle")


@pytest.fixture(params=["moodle", "canvas", "blackboard", "brightspace", "other"])
def side(request: pytest.FixtureRequest) -> Iterator[Side]:
    yield from sides(request.param)


def test_every_platform_gives_a_token_and_takes_a_score(side: Side) -> None:
    if not side.line_item:  # Brightspace makes no column by itself
        made = ags.create_line_item(side.service, side.line_items, ags.LineItem("Attention", 20.0))
        side = replace(side, line_item=made.url)
    side.send()
    assert side.grade("s1") == 17.5


def test_our_assertion_is_one_that_others_verify(moodle: Side) -> None:
    moodle.send()
    (form,) = moodle.platform.tokens.asked
    key = jwt.PyJWK(public_jwks([moodle.key])["keys"][0])
    claims = jwt.decode(
        form["client_assertion"], key, algorithms=["RS256"], audience=f"{moodle.platform.url}/token"
    )
    assert (claims["iss"], claims["sub"]) == (moodle.tool.client_id,) * 2
    assert claims["iat"] < time.time() - 5  # a platform whose clock is behind accepts it


def test_a_platform_with_a_clock_that_is_behind_gives_a_token(moodle: Side) -> None:
    moodle.platform.clock = lambda: time.time() - 65
    moodle.send(at=NOW - 100)
    assert moodle.grade("s1") == 17.5


def test_a_token_is_asked_for_once_for_each_client_and_scope(moodle: Side) -> None:
    for _ in range(3):
        ags.results(moodle.service, moodle.line_item)
    ags.line_item(moodle.service, moodle.line_item)
    assert [form["scope"] for form in moodle.platform.tokens.asked] == [ags.RESULTS_READ, ags.LINE_ITEMS_READ]


def test_a_token_of_one_client_is_never_used_for_another(moodle: Side) -> None:
    other = moodle.platform.add_tool("http://b", "http://b", public_jwks([KEY]), client_id="other")
    tokens = Tokens(Web(allow_private=True), lambda: KEY)
    first = moodle.platform.registration(moodle.tool)
    second = replace(moodle.platform.registration(other), key=first.key)
    assert tokens.token(first, [ags.SCORES]) != tokens.token(second, [ags.SCORES])


def test_a_token_is_dropped_before_it_ends(moodle: Side) -> None:
    now = time.monotonic()
    tokens = Tokens(Web(allow_private=True), lambda: KEY, timer=lambda: now)
    registration = moodle.platform.registration(moodle.tool)
    first = tokens.token(registration, [ags.SCORES])
    now += 3500
    assert tokens.token(registration, [ags.SCORES]) == first
    now += 41
    assert tokens.token(registration, [ags.SCORES]) != first


def test_a_token_that_is_not_accepted_is_replaced_once(moodle: Side) -> None:
    moodle.send()
    moodle.platform.tokens.forget()
    moodle.send(at=NOW + 1)
    assert moodle.asked("token") == 2
    moodle.platform.broken["scores"] = faults.answer(b"", 401)
    with pytest.raises(Answered) as raised:
        moodle.send(at=NOW + 2)
    assert (raised.value.status, raised.value.final, moodle.asked("token")) == (401, False, 3)


@pytest.mark.parametrize(
    "reply",
    [
        {"access_token": "with a blank"},
        {"access_token": "line\r\nX-Header: 1"},
        {"access_token": 7},
        {"access_token": ""},
        {"token_type": "Bearer"},
        ["access_token"],
    ],
)
def test_what_is_no_token_is_not_used(moodle: Side, reply: Any) -> None:
    moodle.platform.broken["token"] = faults.answer(reply)
    with pytest.raises(Unreachable, match="without an access token"):
        moodle.send()
    assert moodle.asked("scores") == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_a_platform_that_gives_no_token_says_nothing_of_a_student(moodle: Side, status: int) -> None:
    moodle.platform.broken["token"] = faults.answer({"error": "invalid_client"}, status)
    with pytest.raises(Answered, match=r"for an access token was answered with .*invalid_client") as raised:
        moodle.send()
    assert outcome(raised.value, tries=1, family="moodle").what is What.WAIT


@pytest.mark.parametrize("expires_in", ["3600", None, -1, "soon", 1e300, float("inf")])
def test_an_odd_lifetime_of_a_token_does_no_harm(moodle: Side, expires_in: Any) -> None:
    moodle.platform.next["token"].append(faults.answer({"access_token": "abc", "expires_in": expires_in}))
    registration = moodle.platform.registration(moodle.tool)
    tokens = Tokens(Web(allow_private=True), lambda: KEY)
    assert tokens.token(registration, [ags.SCORES]) == "abc"
    assert tokens.token(registration, [ags.SCORES]) == "abc"


def test_columns_are_made_found_and_changed_with_moodles_query_kept(moodle: Side) -> None:
    wanted = ags.LineItem("Words", 10.0, resource_id="assignment-7", tag="attest")
    made = ags.create_line_item(moodle.service, moodle.line_items, wanted)
    assert "type_id=2" in made.url
    assert ags.line_items(moodle.service, moodle.line_items, resource_id="assignment-7") == [made]
    assert ags.line_items(moodle.service, moodle.line_items, tag="another") == []
    assert len(ags.line_items(moodle.service, moodle.line_items)) == 2
    changed = ags.update_line_item(moodle.service, replace(made, maximum=12.0))
    assert ags.line_item(moodle.service, made.url) == changed
    assert (changed.maximum, changed.tag) == (12.0, "attest")
    moodle.platform.course.line_items.clear()
    with pytest.raises(Answered) as raised:
        ags.line_item(moodle.service, made.url)
    assert (raised.value.status, raised.value.final) == (404, True)


def test_columns_of_a_platform_that_ignores_what_is_asked_for_are_chosen_here(moodle: Side) -> None:
    listed = [{"id": "http://a", "label": "A", "scoreMaximum": 1, "tag": "x"}, {"id": "http://b", "tag": "y"}]
    moodle.platform.broken["lineitems"] = faults.answer(listed)
    assert [one.url for one in ags.line_items(moodle.service, moodle.line_items, tag="y")] == ["http://b"]


def test_results_are_read_page_by_page(moodle: Side) -> None:
    moodle.platform.course.add_students(7)
    for number in range(1, 8):
        moodle.send(f"u{number}", points=float(number))
    moodle.platform.services.page_size = 3
    found = ags.results(moodle.service, moodle.line_item)
    assert {one.subject: one.points for one in found} == {f"u{n}": n / 2 for n in range(1, 8)}
    (one,) = ags.results(moodle.service, moodle.line_item, subject="u5")
    assert (one.subject, one.points, one.maximum, one.at) == ("u5", 2.5, 20.0, int(NOW))


def test_a_roster_is_read_page_by_page_with_roles_and_who_has_left(moodle: Side) -> None:
    moodle.platform.services.page_size = 2
    moodle.platform.course.add("s4", "$Person.name.full", email="$Person.email.primary")
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    found = {one.subject: one for one in nrps.members(moodle.service, url)}
    assert list(found) == ["t1", "a1", "s1", "s2", "s3", "s9", "s4"]
    assert found["s1"].email == "ada@school.example"
    assert found["t1"].roles == {"http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"}
    assert (found["s9"].is_active, found["s3"].email) == (False, "")
    assert found["s4"].email == ""


def test_a_roster_without_an_end_is_given_up(moodle: Side) -> None:
    moodle.platform.services.page_size = 2
    moodle.platform.services.pages_loop = True
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    with pytest.raises(Unreachable, match="one that was before"):
        nrps.members(moodle.service, url)


def test_a_roster_whose_pages_are_slow_is_given_up_in_minutes(moodle: Side) -> None:
    moodle.platform.services.page_size = 1
    timer = iter(range(0, 10_000, 40))
    web = Web(allow_private=True)
    registration = moodle.service.registration
    slow = Service(
        web, Tokens(web, lambda: KEY), registration, timer=lambda: float(next(timer)), list_seconds=100
    )
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    with pytest.raises(Unreachable, match=r"\d pages took longer than 100 s"):
        nrps.members(slow, url)


def test_a_list_of_large_pages_is_given_up(moodle: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_LIST_BYTES", 1000)
    moodle.platform.services.page_size = 2
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    with pytest.raises(Unreachable, match="more than"):
        nrps.members(moodle.service, url)


def test_our_token_goes_to_no_other_host_with_the_next_page(moodle: Side) -> None:
    elsewhere = moodle.platform.url.replace("127.0.0.1", "localhost")
    link = f'<{elsewhere}/services/c7/memberships?page=2>; rel="next"'
    moodle.platform.broken["members"] = faults.answer({"members": []}, Link=link)
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    with pytest.raises(Unreachable, match="at another host"):
        nrps.members(moodle.service, url)
    assert moodle.asked("members") == 1


@pytest.mark.parametrize("body", [b"<html>", {"members": "nobody"}, [], {}, b"[" * 100_000, b""])
def test_what_is_no_roster_is_said_to_be_none(moodle: Side, body: Any) -> None:
    moodle.platform.broken["members"] = faults.answer(body)
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    with pytest.raises(Unreachable):
        nrps.members(moodle.service, url)


@pytest.mark.parametrize(
    "member",
    [
        *(7, None, {}),
        *({"user_id": wrong} for wrong in (None, "", "x" * 256, "a\0b", True, ["s1"])),
    ],
)
def test_a_member_that_is_nobody_is_left_out(moodle: Side, member: Any) -> None:
    moodle.platform.broken["members"] = faults.answer(
        {"members": [member, {"user_id": 12, "roles": [3, "r"]}]}
    )
    url = moodle.platform.service_url(moodle.platform.course.id, "memberships")
    assert nrps.members(moodle.service, url) == [nrps.Member("12", frozenset({"r"}))]


@pytest.mark.parametrize(
    ("subject", "mode", "status"), [("s9", "moodle", 400), ("t1", "moodle", 400), ("t1", "canvas", 422)]
)
def test_a_score_for_no_student_is_refused_for_good(subject: str, mode: str, status: int) -> None:
    for one in sides(mode):
        with pytest.raises(Answered) as raised:
            one.send(subject)
        assert (raised.value.status, raised.value.final) == (status, True)
        assert outcome(raised.value, tries=1, family=mode).what is What.END


@pytest.mark.parametrize(("mode", "status"), [("moodle", 409), ("canvas", 400), ("other", 409)])
def test_an_older_time_is_a_conflict_that_reading_settles(mode: str, status: int) -> None:
    for one in sides(mode):
        one.send(at=NOW)
        with pytest.raises(Answered) as raised:
            one.send(at=NOW - 60, points=1.0)
        assert raised.value.status == status
        assert outcome(raised.value, tries=1, family=mode).what is What.READ
        assert one.grade("s1") == 17.5


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (faults.throttled(), 2.0),
        (faults.answer(b"later", 429, Retry_After="30"), 30.0),
        (faults.answer(b"", 503), 2.0),
        (faults.hang_up(), 2.0),
        (faults.silent(), 2.0),
        (faults.drip(), 2.0),
    ],
)
def test_a_platform_in_trouble_is_asked_again_later(
    moodle: Side, fault: faults.Fault, seconds: float
) -> None:
    moodle.platform.broken["scores"] = fault
    with pytest.raises((Answered, Unreachable)) as raised:
        moodle.send()
    found = outcome(raised.value, tries=1, family="moodle")
    assert (found.what, found.again_in) == (What.WAIT, seconds)


def test_tokens_are_shared_between_threads(moodle: Side) -> None:
    registration = moodle.platform.registration(moodle.tool)
    tokens = Tokens(Web(allow_private=True), lambda: KEY)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(tokens.token(registration, [ags.SCORES])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert tokens.token(registration, [ags.SCORES]) in found


def test_a_roster_and_a_launch_tell_of_a_person_in_the_same_words(moodle: Side) -> None:
    """A name that came in two ways would change with each launch and each roster."""
    told = {"name": "Lena\r\n \x00Novak ", "email": "$Person.email", "given_name": "L" * 300}
    roster = {"members": [{"user_id": "12", "roles": ["Learner", "\ud800"], **told}]}
    moodle.platform.broken["members"] = faults.answer(roster)
    begun = opened(MemoryStore(MOODLE))

    (member,) = nrps.members(moodle.service, moodle.platform.service_url("c7", "memberships"))

    launch = read("1", {**claims_of(begun), **told})
    assert member.name == launch.name == "Lena ␀Novak"
    assert member.email == launch.email == ""
    assert member.given_name == launch.given_name
    assert len(member.given_name) == 250
    assert member.roles == {"Learner"}


@pytest.mark.parametrize("points", [10**400, float("nan"), float("inf"), "10", True])
def test_points_that_are_no_number_are_none(moodle: Side, points: object) -> None:
    result = {"id": "x", "userId": "s1", "resultScore": points, "comment": "well\x00 done\ud800"}
    moodle.platform.broken["results"] = faults.answer([result])

    (found,) = ags.results(moodle.service, moodle.line_item)

    assert found.points is None
    assert found.comment == "well␀ done\ufffd"


@pytest.mark.parametrize(
    "address", [None, 7, "", "lineitems/7", "file:///etc/passwd", "https://a\x00.example/"]
)
def test_a_column_without_an_address_is_none(moodle: Side, address: object) -> None:
    moodle.platform.broken["lineitem"] = faults.answer({"id": address, "label": "x", "scoreMaximum": 20})

    with pytest.raises(Unreachable, match="no address"):
        ags.line_item(moodle.service, moodle.line_item)
