"""Two portals are started at once on one new folder of data: what is made once is there once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from attest.installed import installed_assignments
from attest.portal.configuration import read_secret_key
from tests.attest.processes import descendants
from tests.lti.platform import Platform
from tests.portal.launching import PRIVATE, Registered, Visitor, hidden, register
from tests.portal.running import Browser, Portal, new_database, wait_for
from tests.portal.test_serving import first_administrator

OUTBOX = b"attest.portal.outbox.process"
Two = tuple[Portal, Portal]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Both are started before either is ready."""
    data, database = tmp_path_factory.mktemp("two") / "data", new_database()

    def start(_: int) -> Portal:
        return Portal(data, "--workers", "0", env={**database, **PRIVATE})

    with ThreadPoolExecutor(2) as threads:
        started = [threads.submit(start, number) for number in range(2)]
    try:
        yield started[0].result(), started[1].result()
    finally:
        for one in started:
            if one.exception() is None:
                one.result().end()


@pytest.fixture(scope="module")
def administrator(two: Two) -> Browser:
    return first_administrator(two[0])


def test_they_are_one_portal(two: Two, administrator: Browser) -> None:
    other = Browser(two[1])
    for cookie in administrator.cookies:
        other.cookies.set_cookie(cookie)

    assert other.get("/people/").status == 200
    assert read_secret_key(two[0].data)
    assert len(two[0].rows("SELECT kid FROM lms_ownkeyrow")) == 1
    assert not list(two[0].data.glob("*.part"))


def test_an_assignment_that_two_choose_at_once_is_added_once(two: Two, administrator: Browser) -> None:
    with Platform() as platform:
        school = register(two[0], administrator, platform)
        teacher, elsewhere = Visitor(two[0]), Visitor(two[1])
        school.link_course(teacher, platform.add_assignment(school.tool))
        names = [name for name in installed_assignments() if name != "basics"]
        assert len(names) > 3
        with ThreadPoolExecutor(2) as threads:
            for name in names:
                tickets = [
                    hidden(school.click(teacher, "t1", platform.add_assignment(school.tool)), "ticket")
                    for _ in range(2)
                ]
                chosen = [
                    threads.submit(
                        who.own_page, "/lti/choose", {"ticket": ticket, "assignment": f"installed:{name}"}
                    )
                    for who, ticket in zip((teacher, elsewhere), tickets, strict=True)
                ]
                first, second = (one.result() for one in chosen)
                assert (first.status, second.status) == (302, 302)
                assert first.headers["Location"] == second.headers["Location"], name


def sends(portal: Portal) -> bool:
    """Whether the portal's process that sends scores runs."""
    found = (Path(f"/proc/{number}/cmdline") for number in descendants(portal.process.pid))
    return any(path.exists() and OUTBOX in path.read_bytes() for path in found)


def slow_to_make(platform: Platform, seconds: float) -> list[str]:
    """Have a platform take its time to make a column; return those that are asked for."""
    asked: list[str] = []
    answer = platform.answer

    def later(connection: BaseHTTPRequestHandler) -> None:
        if connection.command == "POST" and "/lineitems" in connection.path:
            asked.append(connection.path)
            time.sleep(seconds)
        answer(connection)  # type: ignore[arg-type]

    platform.answer = later  # type: ignore[assignment, method-assign]
    return asked


def column_of(school: Registered) -> str:
    """What the portal knows as the address of the platform's only link's column."""
    rows = school.portal.rows("select lineitem_url from lms_linkedresource order by id desc limit 1")
    return str(rows[0][0]) if rows else ""


def test_a_column_is_made_once(two: Two, administrator: Browser) -> None:
    with Platform() as platform, Platform("brightspace") as other:
        school = register(two[0], administrator, platform)
        school.link_course(Visitor(two[0]), platform.add_assignment(school.tool))
        for one in two:
            wait_for(lambda one=one: sends(one), 60, one.said)  # type: ignore[misc]
        asked = slow_to_make(other, 4.0)
        without_column = register(two[0], administrator, other, token_audience=other.tokens.audience)

        without_column.link_course(Visitor(two[0]), other.add_assignment(without_column.tool))

        wait_for(lambda: column_of(without_column), 60, two[0].said)
        assert len(asked) == 1
        assert len(other.course.line_items) == 1
