"""What a request may weigh, and how long it may take to come: whoever sends more is told so."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from attest.portal import asgi
from attest.portal.handing_in.taking import came_at
from attest.portal.people.models import PersonalToken
from tests.portal.running import wait_for
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
    (start_in_pieces, body_in_pieces), unread_in_pieces = asyncio.run(
        ask([(b"transfer-encoding", b"chunked")], bodies)
    )

    assert start["status"] == start_in_pieces["status"] == 401
    assert unread == unread_in_pieces == 0
    assert b"You are not signed in" in body["body"]
    assert b"You are not signed in" in body_in_pieces["body"]


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


def test_a_request_that_grows_without_end_is_cut_off_and_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "MOST_BYTES", 10_000)
    monkeypatch.setattr(asgi, "MOST_UNREAD_BYTES", 50_000)

    (start, body), unread = asyncio.run(ask([], [b"x" * 1000] * 100))

    assert start["status"] == 413
    assert b"This upload is too large" in body["body"]
    assert unread == 101 - 11 - 50


class Serving:
    """The application itself behind a real server, in a thread."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(asgi.Portal(), "127.0.0.1", self.port, lifespan="off", log_config=None)
        )
        self._thread = threading.Thread(target=self._server.run)

    def __enter__(self) -> Serving:
        self._thread.start()
        wait_for(lambda: self._server.started, 30)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)

    def drip(self, length: int, pieces: int, every: float) -> tuple[bytes, float]:
        """Send so many pieces of a body that is to be longer; return what comes back, and after how long."""
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            line.sendall(f"POST /sign-in/ HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode())
            with suppress(ConnectionError):  # it is closed while we still send
                for _ in range(pieces):
                    line.sendall(b"x")
                    time.sleep(every)
            found = b""
            with suppress(ConnectionError):
                while piece := line.recv(65536):
                    found += piece
        return found, time.monotonic() - begun


@pytest.fixture
def serving() -> Iterator[Serving]:
    with Serving() as made:
        yield made


@pytest.mark.parametrize("length", [1000, 40 * 2**20])
def test_a_body_that_stands_still_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, serving: Serving, length: int
) -> None:
    monkeypatch.setattr(asgi, "QUIET_SECONDS", 0.5)
    monkeypatch.setattr(asgi, "UNREAD_SECONDS", 0.5)

    found, seconds = serving.drip(length, 10, 0.01)

    small = length < asgi.MOST_BYTES
    assert found.startswith(b"HTTP/1.1 408" if small else b"HTTP/1.1 413")
    assert (b"This came too slowly" if small else b"This upload is too large") in found
    assert b"connection: close" in found
    assert 0.4 < seconds < 10


def test_a_body_that_drips_is_given_only_so_long(monkeypatch: pytest.MonkeyPatch, serving: Serving) -> None:
    monkeypatch.setattr(asgi, "START_SECONDS", 0.5)
    monkeypatch.setattr(asgi, "SLOWEST_BYTES", 1000)

    found, seconds = serving.drip(500, 100, 0.02)

    assert found.startswith(b"HTTP/1.1 408")
    assert 0.9 < seconds < 10  # half a second, and another for 500 bytes


def test_who_waits_long_for_an_answer_is_not_cut_off(
    monkeypatch: pytest.MonkeyPatch, serving: Serving
) -> None:
    monkeypatch.setattr(asgi, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(asgi, "START_SECONDS", 0.2)

    def slow(_portal: object, _request: HttpRequest) -> HttpResponse:
        time.sleep(1)
        return HttpResponse("at last")

    async def respond(portal: object, request: HttpRequest) -> HttpResponse:
        return await sync_to_async(slow)(portal, request)

    monkeypatch.setattr(asgi.Portal, "get_response_async", respond)
    found, _ = serving.drip(3, 3, 0)

    assert found.startswith(b"HTTP/1.1 200")
    assert b"at last" in found
