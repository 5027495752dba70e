"""The portal as an ASGI application: streams cost no thread, and pages take turns on a bounded number."""

from __future__ import annotations

import asyncio
import os

import django
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponseBase

AT_ONCE = max(16, 4 * (os.cpu_count() or 1))


class Portal(ASGIHandler):
    """Django's handler, with at most so many requests at work at a time; the others wait their turn.

    Each request at work has a thread and a connection to the database. One whose body is still coming,
    and one whose answer is a stream, is not at work.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places = asyncio.Semaphore(AT_ONCE)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        async with self._places:
            response: HttpResponseBase = await super().get_response_async(request)
            return response


django.setup(set_prefix=False)
application = Portal()
