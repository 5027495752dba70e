"""What a request may weigh: refused by what it says, and cut off where it says nothing."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from attest.portal import asgi
from attest.portal.handing_in.taking import came_at
from attest.portal.people.models import PersonalToken
from tests.portal.school import make_person


async def ask(
    headers: list[tuple[bytes, bytes]], bodies: list[bytes], *, stays: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """Send a request to the application itself; return what it sends back, and how much it did not read.

    Who `stays` waits for the answer; others hang up when all is sent.
    """
    sent: list[dict[str, Any]] = []
    coming = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]
    coming.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> dict[str, Any]:
        if stays and not coming:
            await asyncio.Event().wait()
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/sign-in/",
        "raw_path": b"/sign-in/",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
    }
    await asgi.Portal()(scope, receive, send)
    return sent, len(coming)


def test_a_request_that_says_it_is_too_large_gets_a_page_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asgi, "MOST_BYTES", 2**20)

    (start, body), unread = asyncio.run(ask([(b"content-length", b"5000000")], [b"x" * 1_000_000] * 5))

    assert start["status"] == 413
    assert unread == 0  # or the browser shows a broken connection in place of the page
    assert b"At most 1 MB are taken at once" in body["body"]
    assert b"default-src 'none'" in dict(start["headers"])[b"content-security-policy"]


def test_a_stranger_fills_no_disk(db: None) -> None:
    bodies = [b"x" * 500_000] * 4

    (start, body), unread = asyncio.run(ask([(b"content-length", b"2000000")], bodies))
    pieces = asyncio.run(ask([(b"transfer-encoding", b"chunked")], bodies))

    assert start["status"] == 401
    assert unread == 0
    assert b"You are not signed in" in body["body"]
    assert pieces == ([], 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["session", "token"])
def test_who_is_signed_in_may_send_more(way: str) -> None:
    lena = make_person("lena")
    client = Client()
    client.force_login(lena)
    known = {
        "session": (b"cookie", f"a=b; sessionid={client.cookies['sessionid'].value}".encode()),
        "token": (b"authorization", f"Bearer {PersonalToken.issue(lena, 'laptop')}".encode()),
    }
    bodies = [b"x" * 500_000] * 4

    for size in ((b"content-length", b"2000000"), (b"transfer-encoding", b"chunked")):
        (start, *_), unread = asyncio.run(ask([size, known[way]], bodies, stays=True))

        assert start["status"] == 403  # it came to Django, which misses the token of the form
        assert unread == 0


def test_what_waits_for_its_turn_has_come_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "AT_ONCE", 0)
    portal, request = asgi.Portal(), HttpRequest()

    async def wait_a_little() -> datetime:
        waiting = asyncio.create_task(portal.get_response_async(request))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        waiting.cancel()
        return came_at(request)

    begun = timezone.now()
    found = asyncio.run(wait_a_little())

    assert begun <= found <= timezone.now() - timedelta(seconds=0.04)


def test_a_request_that_grows_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "MOST_BYTES", 10_000)

    sent, unread = asyncio.run(ask([], [b"x" * 1000] * 100))

    assert (sent, unread) == ([], 90)
