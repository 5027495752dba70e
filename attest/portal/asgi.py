"""The portal as an ASGI application: bodies are bounded, streams cost no thread, pages take turns.

Django itself would write a body of any size to the disk before anybody looks at it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import django
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponseBase

MOST_BYTES = 32 * 2**20  # of one request; what is unpacked from an upload is bounded by graders.reading
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
        if scope["type"] == "http" and _declared(scope) > MOST_BYTES:
            await _refuse(receive, send)
        else:
            await super().__call__(scope, _bounded(receive), send)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        async with self._places:
            response: HttpResponseBase = await super().get_response_async(request)
            return response


def _declared(scope: Scope) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


def _bounded(receive: Receive) -> Receive:
    """Hang up on a body that has not said how large it is, and is too large."""
    left = MOST_BYTES

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return receive_bounded


async def _refuse(receive: Receive, send: Send) -> None:
    from attest.portal.failures import plain
    from attest.portal.headers import POLICY

    left = MOST_UNREAD_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body"):
            break
    size = f"{MOST_BYTES // 2**20} MB"
    sentence = f"At most {size} are taken at once, and nothing of this was. Leave out data and checkpoints."
    body = plain("This upload is too large", sentence).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"content-security-policy", POLICY.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})


django.setup(set_prefix=False)
application = Portal()
