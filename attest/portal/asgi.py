"""The portal as an ASGI application: bodies are bounded, streams cost no thread, pages take turns.

Django itself would write a body of any size to the disk before anybody looks at it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
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
        most = MOST_BYTES
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
                most = min(most, MOST_UNKNOWN_BYTES)
        await super().__call__(scope, _bounded(receive, most), send)

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

    from attest.portal.people.models import PersonalToken

    def header(name: bytes) -> str:
        return b"; ".join(value for key, value in scope["headers"] if key == name).decode("latin1")

    scheme, _, token = header(b"authorization").partition(" ")
    session = parse_cookie(header(b"cookie")).get(settings.SESSION_COOKIE_NAME, "")
    try:
        if scheme.lower() == "bearer":
            return PersonalToken.holder(token.strip()) is not None
        found = Session.objects.filter(session_key=session, expire_date__gt=timezone.now())
        return bool(session) and found.exists()
    except DatabaseError:
        return True
    finally:
        connection.close()  # this thread is one of many that the event loop has


def _bounded(receive: Receive, most: int) -> Receive:
    """Hang up on a body that has not said how large it is, and is larger than `most`."""
    left = most

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return receive_bounded


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
    """Throw a body away while it comes, and answer: who is cut off in the middle reads no answer."""
    from attest.portal.failures import plain
    from attest.portal.headers import POLICY

    left = MOST_UNREAD_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body"):
            break
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


django.setup(set_prefix=False)
application = Portal()
