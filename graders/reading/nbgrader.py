"""nbgrader's folders: what was collected, or the exchange's inbound itself.

submitted/jdoe/ps1/problem.ipynb                                     with timestamp.txt beside it
inbound/jdoe+ps1+2026-11-30 10:58:14.123456 UTC+wF7/problem.ipynb    each attempt a folder of its own
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from graders.reading.container import Container, Member, Piece, safe_name
from graders.reading.entries import EntryError
from graders.reading.hand_in import HandIn, Reading
from graders.reading.names import listed, top_folder

PATTERN = "STUDENT/ASSIGNMENT/timestamp.txt, or STUDENT+ASSIGNMENT+TIME/FILE"
_OUTER = ("submitted", "inbound")
TIMESTAMP = "timestamp.txt"
_INBOUND = re.compile(
    r"(?P<student>[^/+]+)\+(?P<assignment>[^/+]+)\+(?P<time>\d{4}-\d\d-\d\d[ _]\d\d[:_-]\d\d[^/+]*)"
    r"(?:\+[^/]*)?/(?P<file>.+)",
    re.DOTALL,
)
_COLLECTED = re.compile(r"(?P<student>[^/]+)/(?P<assignment>[^/]+)/(?P<file>.+)", re.DOTALL)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T_](\d\d)[:_-](\d\d)[:_-](\d\d)(?:\.(\d{1,6}))?\s*(\S+)?")
Files = list[tuple[str, Piece]]


def read(container: Container, named: Sequence[str] = (), *, collected: bool = False) -> Reading:
    """Return what was handed in for the assignment of one of the names `named`, or for the only one there is.

    `collected`: take folders in folders for collected ones, also where they hold no timestamp.
    """
    if top_folder(piece.name for piece in container.pieces) in _OUTER:
        return Reading((), container.pieces)  # it is looked for one folder further in
    inbound: dict[tuple[str, str, str], Files] = defaultdict(list)
    folders: dict[tuple[str, str], Files] = defaultdict(list)
    strangers = []
    for piece in container.pieces:
        if match := _INBOUND.fullmatch(piece.name):
            inbound[match["student"], match["assignment"], piece.name.partition("/")[0]].append(
                (match["file"], piece)
            )
        elif match := _COLLECTED.fullmatch(piece.name):
            folders[match["student"], match["assignment"]].append((match["file"], piece))
        else:
            strangers.append(piece)
    stamped = {key for key, files in folders.items() if any(name == TIMESTAMP for name, _ in files)}
    if not collected and 2 * len(stamped) < len(folders):
        strangers += [piece for files in folders.values() for _, piece in files]
        folders.clear()
    assignments = Counter([key[1] for key in inbound] + [key[1] for key in folders])
    wanted = [name for name in assignments if name in named] or list(assignments)
    understood = sum(len(files) for files in (*inbound.values(), *folders.values()))
    if len(wanted) > 1:
        several = (
            f"several assignments are in it ({listed(sorted(wanted))}); name one of them by "
            f"--from nbgrader:{sorted(wanted)[0]}."
        )
        return Reading((), tuple(strangers), understood, (several,))
    hand_ins = _attempts(container, inbound, wanted) + [
        _hand_in(container, student, files, f"{student}/{assignment}", None, 1)
        for (student, assignment), files in folders.items()
        if assignment in wanted
    ]
    own = understood - sum(len(hand_in.members) for hand_in in hand_ins)
    return Reading(tuple(hand_ins), tuple(strangers), own)


def _attempts(
    container: Container, inbound: dict[tuple[str, str, str], Files], wanted: Sequence[str]
) -> list[HandIn]:
    hand_ins = []
    counts: Counter[str] = Counter()
    for (student, assignment, folder), files in sorted(inbound.items()):
        if assignment in wanted:
            counts[student] += 1
            match = _INBOUND.fullmatch(f"{folder}/file")
            time = _time(match["time"]) if match else None
            hand_ins.append(_hand_in(container, student, files, folder, time, counts[student]))
    return hand_ins


def _hand_in(  # noqa: PLR0917 - one for each field
    container: Container, student: str, files: Files, source: str, time: datetime | None, attempt: int
) -> HandIn:
    stamp = next((piece for name, piece in files if name == TIMESTAMP), None)
    if stamp is not None:
        with suppress(EntryError):
            time = _time(container.read(stamp, 200).decode("utf-8", "replace")) or time
    work = [(name, piece) for name, piece in files if piece is not stamp]
    return HandIn(
        label=student,
        members=tuple(Member(piece.place, safe_name(name)) for name, piece in work or files),
        source=source,
        ids=(("nbgrader", student),),
        submitted_at=time,
        attempt=attempt,
    )


def _time(text: str) -> datetime | None:
    found = _TIME.search(text)
    if not found:
        return None
    try:
        moment = datetime.fromisoformat(
            f"{found[1]}T{found[2]}:{found[3]}:{found[4]}.{(found[5] or '0').ljust(6, '0')}"
        )
        zone = ZoneInfo(found[6]) if found[6] else UTC
    except (ValueError, OSError):  # no such moment, no such zone
        return None
    return moment.replace(tzinfo=zone).astimezone(UTC)
