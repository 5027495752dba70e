"""How far submissions are, as streams of server-sent events.

    event: here                                  at once and every 15 s: each end knows of the other
    event: step    data: {"sentence", "checks"}  whenever it has come further
    event: ended                                 nothing more comes: load the state, and do not come again

However many watch, the database is looked at once a second, by one thread. A stream holds no thread and no
connection to the database; it ends when the browser goes, when there is nothing to wait for, or after some
minutes: who comes again is looked at again.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.template.loader import render_to_string

from attest.portal.courses.models import Role
from attest.portal.grading.progress import Step, steps_of
from attest.portal.grading.standing import shows_results
from attest.portal.handing_in.models import Submission
from attest.portal.permissions import Asking, members

LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
LONGEST_SECONDS = 600.0
MOST_STREAMS = 1000  # of this process
_HERE = "event: here\ndata:\n\n"
MOST_OF_ONE = 4  # person: a browser has six connections to one place, and needs some for pages


@dataclass(eq=False)
class Stream:
    """One browser that waits for one submission."""

    person: int
    submission: int
    step: Step | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Watching:
    """Every stream of this process, and the one look at the database for all of them."""

    def __init__(self) -> None:
        self._streams: set[Stream] = set()
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._streams)

    def has_room(self, person: int) -> bool:
        """Whether one more stream of this person is taken."""
        own = sum(one.person == person for one in self._streams)
        return len(self._streams) < MOST_STREAMS and own < MOST_OF_ONE

    def enter(self, stream: Stream) -> bool:
        """Look for this stream too, from now on; False where there is no room for it.

        Nothing is awaited between the count and the place: of many that come at once none slips in.
        """
        if not self.has_room(stream.person):
            return False
        self._streams.add(stream)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        return True

    def leave(self, stream: Stream) -> None:
        """Look no more for it."""
        self._streams.discard(stream)

    async def _look(self) -> None:
        while self._streams:
            try:
                steps = await sync_to_async(_looked, thread_sensitive=False)(
                    {one.submission for one in self._streams}
                )
            except DatabaseError:  # busy or away: the next look may come through
                steps = None
            for one in tuple(self._streams) if steps is not None else ():
                step = steps.get(one.submission, Step("")) if steps is not None else None
                if step != one.step:
                    one.step = step
                    one.changed.set()
            await asyncio.sleep(LOOK_SECONDS)


WATCHING = Watching()


@members(Role.STUDENT)
async def events(asking: Asking, submission: Submission) -> HttpResponseBase:
    """Stream how far a submission is. Where there is no room 204, which tells a browser not to come again."""
    if not WATCHING.has_room(asking.person.pk):
        return HttpResponse(status=204)
    shown = asking.may(Role.GRADER) or await sync_to_async(shows_results)(submission.assignment)
    return StreamingHttpResponse(
        _streamed(Stream(asking.person.pk, submission.pk), shown=shown),
        content_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},  # a proxy passes it on as it comes
    )


async def _streamed(stream: Stream, *, shown: bool) -> AsyncIterator[str]:
    until = time.monotonic() + LONGEST_SECONDS
    if not WATCHING.enter(stream):  # here and not in the view: what never begins to run is never left
        yield "event: ended\ndata:\n\n"
        return
    try:
        yield _HERE
        while time.monotonic() < until:
            try:
                await asyncio.wait_for(stream.changed.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield _HERE
                continue
            stream.changed.clear()
            if stream.step is None or not stream.step.waits:
                yield "event: ended\ndata:\n\n"
                return
            yield f"event: step\ndata: {json.dumps(_said(stream.step, shown=shown))}\n\n"
    finally:
        WATCHING.leave(stream)


def _said(step: Step, *, shown: bool) -> dict[str, str]:
    checks = render_to_string("handing_in/checks.html.jinja", {"step": step}) if shown else ""
    return {"sentence": step.sentence, "checks": checks}


def _looked(submissions: Iterable[int]) -> dict[int, Step]:
    try:
        return steps_of(submissions)
    finally:
        connection.close()  # this thread is one of many that the event loop has
