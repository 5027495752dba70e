"""What a request may weigh: refused by what it says, and cut off where it says nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from attest.portal import asgi


async def ask(headers: list[tuple[bytes, bytes]], bodies: list[bytes]) -> tuple[list[dict[str, Any]], int]:
    """Send a request to the application itself; return what it sends back, and how much it did not read."""
    sent: list[dict[str, Any]] = []
    coming = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]
    coming.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> dict[str, Any]:
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


def test_a_request_that_grows_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "MOST_BYTES", 10_000)

    sent, unread = asyncio.run(ask([], [b"x" * 1000] * 100))

    assert (sent, unread) == ([], 90)
