"""What the status of a platform's answer means: done, ask again later, or never."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from attest.lti.errors import Answered
from attest.lti.web import Reply

MOST_WAIT = 3600.0  # seconds; a longer Retry-After is not believed
# 401 and 403 may heal by themselves: a key that is not read yet, a clock, Canvas's throttling (a 403).
_AGAIN = (401, 403, 408, 425, 429)


def checked(reply: Reply, what: str, *, now: float) -> Reply:
    """Return a reply that is well; raise `Answered` for one that is not. `what` was done: "POST https://…"."""
    if 200 <= reply.status < 300:
        return reply
    said = f": {reply.beginning}" if reply.beginning else ", and gave no reason"
    raise Answered(
        f"{what} was answered with {reply.status}{said}",
        status=reply.status,
        body=reply.body,
        final=not may_heal(reply.status),
        again_in=wait_asked_for(reply.headers.get("retry-after", ""), now),
    )


def may_heal(status: int) -> bool:
    """Whether what was answered like this may be answered otherwise later."""
    return status >= 500 or status in _AGAIN


def wait_asked_for(text: str, now: float) -> float:
    """Return the seconds of a Retry-After header, which may be a number or a date; 0 for none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = _until(text, now)
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), MOST_WAIT)


def _until(text: str, now: float) -> float:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    return (aware - datetime.fromtimestamp(now, UTC)).total_seconds()
