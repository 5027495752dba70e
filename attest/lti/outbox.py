"""The rules by which a score leaves for a platform: what is sent, with which time, and what an answer means.

They hold for one row of an outbox: one person in one column. No clock, no network and no database is in here.
Times are seconds since the epoch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from attest.lti.ags import ScoreThere
from attest.lti.errors import Answered, LTIError

MOST_WAIT = 300.0  # between two tries, however many failed, unless a platform asks for more
MOST_WAIT_OF_BUSY = 60.0  # where a platform had no time for this score, and answers others well
CANVAS = "canvas"
_CANVAS_SUBMISSION = "https://canvas.instructure.com/lti/submission"
_TOO_OLD = b"before last updated timestamp"  # as Canvas says it, in a 400
_CLOSE = 1e-6  # of a share of the maximum: platforms keep five decimals or fewer


@dataclass(frozen=True)
class Score:
    """What one person is to have in a column. The comment is plain text."""

    points: float
    maximum: float
    attempt: int
    handed_in_at: float | None  # None for points without anything handed in
    made_at: float  # when the score came about
    pending: bool = False  # people still mark a part of it
    comment: str = ""

    @property
    def share(self) -> float:
        """The part of what could be had; a platform keeps no more than this."""
        return self.points / self.maximum if self.maximum > 0 else 0.0

    @property
    def digest(self) -> str:
        """The same for scores of which only one has to be sent, whenever they came about.

        The comment says nothing more than the rest, in words that another version may choose otherwise.
        """
        parts = [self.points, self.maximum, self.attempt, self.handed_in_at, self.pending]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def may_be_sent(score: Score, family: str) -> bool:
    """Whether a score may go to a platform now.

    Of one that people still mark only Canvas keeps the points and says that marks are to come. Moodle removes
    the grade that is there, and others show a part as if it were all; there it waits.
    """
    return not score.pending or family == CANVAS


def lowers(score: Score, points: float | None, maximum: float | None) -> bool:
    """Whether a score is lower than what is there, as shares of the maximum."""
    if points is None or not maximum or maximum < 0:
        return False
    return score.share < points / maximum - _CLOSE


def equals(score: Score, there: ScoreThere) -> bool:
    """Whether a platform has this score already."""
    if there.points is None or not there.maximum or there.maximum < 0:
        return False
    return abs(score.share - there.points / there.maximum) <= _CLOSE


def next_stamp(score: Score, *, last: int | None, now: float, floor: float = 0.0) -> int:
    """Return the whole second to send a score with: when it was made, and later than any sent before.

    One in the future (`> now`) says to wait until then. Whole seconds, since Moodle compares these: so no two
    are sent in one. `floor` is what a platform has already (`after_conflict`).
    """
    made = int(min(score.made_at, now))
    return max(made, int(floor), 0 if last is None else last + 1)


def message(
    score: Score, subject: str, stamp: int, *, family: str = "", sent_attempt: int | None = None
) -> dict[str, Any]:
    """Return a score as platforms read it: raw points and the true maximum.

    Source: LTI Assignment and Grade Services 2.0, section 3.4.
    """
    found: dict[str, Any] = {
        "userId": subject,
        "scoreGiven": score.points,
        "scoreMaximum": score.maximum,
        "activityProgress": "Completed",
        "gradingProgress": "PendingManual" if score.pending else "FullyGraded",
        "timestamp": _written(stamp),
    }
    if score.handed_in_at is not None:
        found["submission"] = {"submittedAt": _written(score.handed_in_at)}
    if score.comment:
        found["comment"] = score.comment
    if family == CANVAS:  # or every score would count as one more attempt
        is_new = score.handed_in_at is not None and sent_attempt != score.attempt
        found[_CANVAS_SUBMISSION] = {"new_submission": is_new}
    return found


class What(StrEnum):
    """What is to be done after an answer."""

    WAIT = "wait"  # and send again
    READ = "read"  # what is there, and send with a later time
    END = "end"  # nothing helps but a person


@dataclass(frozen=True)
class Outcome:
    """What a failure means: what to do, after how many seconds, and the reason for whoever looks."""

    what: What
    said: str
    again_in: float = 0.0


def outcome(error: LTIError, *, tries: int, family: str = "", answers_others: bool = False) -> Outcome:
    """Return what it means that sending failed for the `tries`th time in a row.

    `answers_others` says that the platform answered well lately: then one that had no time for this score was
    busy and is not down, and who had bad luck several times in a row is asked for again soon.
    """
    most = MOST_WAIT_OF_BUSY if answers_others and is_busy(error) else MOST_WAIT
    wait = min(2.0 ** min(tries, 12), most)
    if not isinstance(error, Answered):
        return Outcome(What.WAIT, str(error), wait)
    too_old = family == CANVAS and error.status == 400 and _TOO_OLD in error.body
    if error.status == 409 or too_old:
        return Outcome(What.READ, str(error), wait)
    if not error.final:
        return Outcome(What.WAIT, str(error), max(wait, error.again_in))
    hint = _HINTS.get((family, error.status)) or _HINTS.get(("", error.status), "")
    return Outcome(What.END, f"{error}. {hint}" if hint else str(error))


def is_busy(error: LTIError) -> bool:
    """Whether a platform answered that it has no time now, or something before it did; not that it failed."""
    if not isinstance(error, Answered):
        return False
    return error.status in _BUSY or (error.status == 403 and _THROTTLED in error.body)


_BUSY = (408, 425, 429, 502, 503, 504)
_THROTTLED = b"Rate Limit Exceeded"  # as Canvas says it, in a 403


_HINTS: Mapping[tuple[str, int], str] = {
    (
        "moodle",
        400,
    ): "Moodle says so of who is not enrolled in the course as a student, or is a teacher there.",
    ("canvas", 422): "Canvas says so of who is no student of the course, and where all attempts are used up.",
    ("", 400): "Look whether they are enrolled there as a student.",
    ("", 404): "The column may have been deleted there: open the assignment from the LMS once more.",
    ("", 422): "Look whether they are enrolled there as a student and have an attempt left.",
}


def after_conflict(score: Score, there: ScoreThere | None, now: float) -> float | None:
    """Return from when on to stamp a score that a platform found too old; None where it is there already.

    A platform that has a time in the future takes nothing before it; one that tells no time is told ours.
    """
    if there is not None and equals(score, there):
        return None
    if there is not None and there.at is not None:
        return max(there.at + 1.0, now)
    return now


def _written(when: float) -> str:
    """Return a time with milliseconds, as the specification asks for."""
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="milliseconds")
