"""The portal as an ASGI application: bodies are bounded, streams cost no thread, pages take turns.

Django itself would write a body of any size to the disk before anybody looks at it, and wait for one that
never ends.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponseBase, parse_cookie
from django.utils import timezone

MOST_BYTES = 32 * 2**20  # of one request; what is unpacked from an upload is bounded by graders.reading
MOST_UNKNOWN_BYTES = 2**20  # of one of somebody who is not signed in: more would lie on our disk meanwhile
MOST_UNREAD_BYTES = 256 * 2**20  # of a body that is thrown away, so that the browser reads our answer
UNREAD_SECONDS = 120.0  # for that
QUIET_SECONDS = 60.0  # between two pieces of a body
START_SECONDS = 120.0  # for any body at all, besides what its size takes at the slowest
SLOWEST_BYTES = 16 * 2**10  # in a second, on the whole: as over an old telephone
AT_ONCE = max(16, 4 * (os.cpu_count() or 1))

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Portal(ASGIHandler):
    """Django's handler, with at most so many requests at work at a time; the others wait their turn.

    Each request at work has a thread and a connection to the database. One whose body is still coming,
    and one whose answer is a stream, is not at work.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most, declared, too_large = MOST_BYTES, None, NotTaken(413, *_too_large())
        if scope["type"] == "http":
            declared = _declared(scope)
            if declared is not None and declared > MOST_BYTES:
                await _refuse(receive, send, 413, *_too_large())
                return
            large = declared is None or declared > MOST_UNKNOWN_BYTES
            if large and not await sync_to_async(_is_known, thread_sensitive=False)(scope):
                if declared is not None:
                    await _refuse(receive, send, 401, *_NOT_KNOWN)
                    return
                most, too_large = MOST_UNKNOWN_BYTES, NotTaken(401, *_NOT_KNOWN)
        seconds = START_SECONDS + (most if declared is None else declared) / SLOWEST_BYTES
        try:
            await super().__call__(scope, _bounded(receive, most, seconds, too_large), send)
        except NotTaken as refused:
            await _refuse(receive, send, *refused.args)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        request.came_at = timezone.now()  # type: ignore[attr-defined]
        async with self._places:
            response: HttpResponseBase = await super().get_response_async(request)
            return response


def _declared(scope: Scope) -> int | None:
    """Return how large a body says that it is; None where it comes in pieces and does not say."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"")
    if length.isdigit():
        return int(length)
    return None if b"transfer-encoding" in headers else 0


def _is_known(scope: Scope) -> bool:
    """Whether a request has a session or a token of ours. Where the database is away, a view says so."""
    from django.contrib.sessions.models import Session

    from attest.portal.permissions import holder_of

    def header(name: bytes) -> str:
        return b"; ".join(value for key, value in scope["headers"] if key == name).decode("latin1")

    scheme, _, token = header(b"authorization").partition(" ")
    session = parse_cookie(header(b"cookie")).get(settings.SESSION_COOKIE_NAME, "")
    try:
        if scheme.lower() == "bearer":
            return holder_of(token.strip()) is not None
        found = Session.objects.filter(session_key=session, expire_date__gt=timezone.now())
        return bool(session) and found.exists()
    except DatabaseError:
        return True
    finally:
        connection.close()  # this thread is one of many that the event loop has


class NotTaken(Exception):
    """A body is not taken to its end: the status that is answered, a title and a sentence."""


def _bounded(receive: Receive, most: int, seconds: float, too_large: NotTaken) -> Receive:
    """Take no more of a body than `most` bytes, and for no longer than so many seconds.

    What comes after the body (somebody hangs up) is waited for as long as the answer takes.
    """
    left, ended = most, False
    until = time.monotonic() + seconds

    async def receive_bounded() -> Message:
        nonlocal left, ended
        if ended:
            return await receive()
        try:
            async with asyncio.timeout(min(QUIET_SECONDS, until - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise NotTaken(408, *_TOO_SLOW) from None
        left -= len(message.get("body", b""))
        if left < 0:
            raise too_large
        ended = not message.get("more_body")
        return message

    return receive_bounded


_TOO_SLOW = (
    "This came too slowly",
    "The connection stood still, or was too slow for the size, and nothing of this was received. Load the "
    "page again, and repeat it, over another connection if you have one.",
)
_NOT_KNOWN = (
    "You are not signed in",
    "Nothing of this was received. Sign in in another tab, and send it once more.",
)


def _too_large() -> tuple[str, str]:
    size = f"{MOST_BYTES // 2**20} MB"
    return (
        "This upload is too large",
        f"At most {size} are taken at once, and nothing of this was. Leave out data and checkpoints.",
    )


async def _refuse(receive: Receive, send: Send, status: int, title: str, sentence: str) -> None:
    """Throw away what still comes of a body, and answer: who is cut off in the middle reads no answer."""
    from attest.portal.failures import plain
    from attest.portal.headers import POLICY

    if status != 408:
        await _throw_away(receive)
    body = plain(title, sentence).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"content-security-policy", POLICY.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _throw_away(receive: Receive) -> None:
    left = MOST_UNREAD_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(UNREAD_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


django.setup(set_prefix=False)
application = Portal()
