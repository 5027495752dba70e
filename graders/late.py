"""What coming late costs: a due date, some grace, so much for each day or hour begun, up to a cap.

A policy is a pure function of when a submission came. The Result works out what it takes from the points.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from graders.result import Late

Per = Literal["day", "hour"]
Of = Literal["earned", "maximum"]
Extension = timedelta | datetime  # so much longer, or until then; without a zone in that of the due date
LONGEST = timedelta(days=3660)  # of a span: what is added to a date must stay one
YEARS = range(1970, 3000)  # of a moment: in every zone it must stay one
UNITS = {"day": timedelta(days=1), "hour": timedelta(hours=1)}
_WORDS = {
    **dict.fromkeys(("d", "day", "days"), timedelta(days=1)),
    **dict.fromkeys(("h", "hour", "hours"), timedelta(hours=1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), timedelta(minutes=1)),
    **dict.fromkeys(("w", "week", "weeks"), timedelta(days=7)),
}
_SPAN = re.compile(r"(\d{1,5}(?:[.,]\d{1,3})?)\s*([A-Za-z]+)")
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?))?\s*"
    r"(Z|UTC|[+-]\d\d:?\d\d|[A-Za-z_]+/[A-Za-z_/+-]+)?"
)
_RATE = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?)\s*%\s*(?:per|a|an|each|every|/)\s*(day|hour)")
_CAP = re.compile(r"(?:at most|max(?:imum)?|cap)\s*(\d{1,3}(?:[.,]\d{1,3})?)\s*%")
_GRACE = re.compile(r"grace\s*(?:of\s*)?(\S.*)|(\S.*?)\s*(?:of\s*)?grace")


class LateError(ValueError):
    """A late policy or a time cannot be understood. The message says what was found and what was expected."""


@dataclass(frozen=True)
class LatePolicy:
    """What coming late costs."""

    due: datetime  # with its zone
    percent: float  # for each unit begun
    per: Per = "day"
    grace: timedelta = (
        timedelta()
    )  # within which nothing is taken; after it, lateness counts from the due date
    cap: float = 100.0  # the most that is taken, in percent
    of: Of = "earned"

    @property
    def sentence(self) -> str:
        """The policy in words."""
        parts = [f"{self.percent:g} % for each {self.per} begun"]
        if self.cap < 100:
            parts.append(f"at most {self.cap:g} %")
        if self.grace:
            parts.append(f"{span_text(self.grace)} of grace")
        return ", ".join(parts)

    @property
    def zone(self) -> tzinfo:
        """The zone of the due date, for times that come without one."""
        assert self.due.tzinfo is not None
        return self.due.tzinfo

    def due_for(self, extension: Extension | None) -> datetime:
        """Return when a student's work is due: with an extension never earlier than without.

        Days are those of the calendar; hours and minutes are as long as they are, also where clocks change.
        """
        until = self.due
        if isinstance(extension, timedelta):
            day = self.due + timedelta(days=extension.days)
            rest = extension - timedelta(days=extension.days)
            until = (day.astimezone(UTC) + rest).astimezone(self.zone)
        elif isinstance(extension, datetime):
            until = extension if extension.tzinfo else extension.replace(tzinfo=self.zone)
        return until if until.astimezone(UTC) > self.due.astimezone(UTC) else self.due

    def late(
        self, submitted_at: datetime | None, extension: Extension | None = None, *, late_in_lms: bool = False
    ) -> Late | None:
        """Return how late a submission is; None where it came in time, or nobody says when."""
        due = self.due_for(extension)
        known = Late(
            due_at=due,
            extension_seconds=max(0.0, (due.astimezone(UTC) - self.due.astimezone(UTC)).total_seconds()),
            of=self.of,
            policy=self.sentence,
        )
        if submitted_at is None:
            return known.model_copy(update={"unknown": True}) if late_in_lms else None
        over = submitted_at.astimezone(UTC) - due.astimezone(UTC)  # in one zone, Python forgets summer time
        if over <= max(self.grace, timedelta()):
            return None
        begun = math.ceil(over / UNITS[self.per])
        percent = min(self.cap, begun * self.percent)
        return known.model_copy(update={"late_seconds": over.total_seconds(), "percent": percent})


def span_text(span: timedelta) -> str:
    """Return "2 days 3 hours" or "15 minutes"."""
    minutes = math.ceil(span.total_seconds() / 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [
        f"{n} {word}{'s' * (n != 1)}"
        for n, word in ((days, "day"), (hours, "hour"), (minutes, "minute"))
        if n
    ]
    return " ".join(parts[:2]) or "0 minutes"


def read_span(text: str) -> timedelta:
    """Read "15 min", "2 days", "1 day 12 h". Raises LateError."""
    found = list(_SPAN.finditer(text))
    rest = _SPAN.sub("", text).replace("and", "").strip(" ,")
    if not found or rest or any(match[2].lower() not in _WORDS for match in found):
        raise LateError(f"{text!r} is no span of time; expected such as '15 min', '36 hours' or '2 days'")
    span = sum((float(m[1].replace(",", ".")) * _WORDS[m[2].lower()] for m in found), timedelta())
    if span > LONGEST:
        raise LateError(f"{text!r} is too long; expected at most {LONGEST.days:,} days")
    return span


def read_moment(text: str) -> datetime:
    """Read "2026-11-30 23:59 Europe/Berlin", "2026-11-30T23:59+01:00", or either without a zone.

    A day alone stands for its end. Raises LateError.
    """
    expected = "expected such as '2026-11-30 23:59 Europe/Berlin' or '2026-11-30T23:59+01:00'"
    found = _MOMENT.fullmatch(text.strip())
    if not found:
        raise LateError(f"{text!r} is no date; {expected}")
    try:
        day = date.fromisoformat(found[1])
        if day.year not in YEARS:
            raise ValueError(f"a year from {YEARS[0]} to {YEARS[-1]} is expected")
        clock = time.fromisoformat(found[2]) if found[2] else time(23, 59, 59)
        moment = datetime.combine(day, clock)
        if not found[3]:
            return moment
        if "/" in found[3]:
            return moment.replace(tzinfo=ZoneInfo(found[3]))
        offset = "+00:00" if found[3] in ("Z", "UTC") else found[3]
        return datetime.fromisoformat(f"{moment.isoformat()}{offset}")
    except (ValueError, OSError, LookupError) as error:
        raise LateError(f"{text!r} is no date ({error}); {expected}") from None


def read_extension(text: str) -> Extension:
    """Read how much longer a student has, or until when. Raises LateError."""
    if _MOMENT.fullmatch(text.strip()):
        return read_moment(text)
    try:
        return read_span(text)
    except LateError:
        raise LateError(
            f"{text!r} is no extension; expected such as '2 days', '36 hours' or '2026-12-02 23:59'"
        ) from None


def extension_text(extension: Extension) -> str:
    """Return an extension as `read_extension` reads it."""
    if isinstance(extension, datetime):
        return extension.isoformat(" ")
    minutes = math.ceil(extension.total_seconds() / 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n} {unit}" for n, unit in ((days, "days"), (hours, "hours"), (minutes, "min")) if n]
    return " ".join(parts) or "0 min"


def read_due(text: str) -> datetime:
    """Read a due date, which must have a zone. Raises LateError."""
    due = read_moment(text)
    if due.tzinfo is None:
        raise LateError(
            f"{text!r} has no time zone; add one, such as '{text.strip()} Europe/Berlin' or "
            f"'{due.isoformat()}+01:00'"
        )
    return due


def read_policy(text: str, due: datetime) -> LatePolicy:
    """Read "10% per day, at most 50%, grace 15 min, of maximum". Raises LateError."""
    rate: LatePolicy | None = None
    cap, grace, of = 100.0, timedelta(), "earned"
    for part in re.split(r"[,;]\s+|;", text.strip().lower()):
        if match := _RATE.fullmatch(part):
            per: Per = "day" if match[2] == "day" else "hour"
            rate = LatePolicy(due, _percent(match[1]), per)
        elif match := _CAP.fullmatch(part):
            cap = _percent(match[1])
        elif match := _GRACE.fullmatch(part):
            grace = read_span(match[1] or match[2])
        elif part in ("of earned", "of maximum"):
            of = part.removeprefix("of ")
        else:
            raise LateError(
                f"{part!r} is no part of a late policy; expected such as '10% per day, at most 50%, grace "
                "15 min, of maximum'"
            )
    if rate is None:
        raise LateError(f"{text!r} says nothing like '10% per day' or '2% per hour'")
    return replace(rate, cap=cap, grace=grace, of="maximum" if of == "maximum" else "earned")


def _percent(text: str) -> float:
    value = float(text.replace(",", "."))
    if value > 100:
        raise LateError(f"{text} % is more than all points; expected 0 to 100")
    return value
