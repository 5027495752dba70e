"""Blackboard's "Download Assignment File": all files beside each other, and a text about each attempt.

    HW 1_jdoe_attempt_2026-11-30-10-58-14.txt              who, when, and what the files were called
    HW 1_jdoe_attempt_2026-11-30-10-58-14_attention.py

The word attempt is in the instructor's language, and the times are of the server's clock. Where the
assignment or the user's name holds underscores, the text tells the two apart; where there is none, what all
names share does. What comes behind the first time is the student's own choice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime

from graders.reading.container import Container, Member, Piece, safe_name
from graders.reading.entries import EntryError
from graders.reading.hand_in import HandIn, Reading

PATTERN = "ASSIGNMENT_USERNAME_attempt_YYYY-MM-DD-hh-mm-ss_FILE"
_ENTRY = re.compile(
    r"(?P<who>.+?)_(?P<word>[^_]+)_(?P<time>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|\.txt)", re.DOTALL
)
_FILES = re.compile(  # no two parts side by side match the same, so time grows as the length
    r"^\t[^:\n]{1,60}:(?P<original>[^\n]+)\n\t[^:\n]{1,60}:(?P<packed>[^\n]+)$", re.MULTILINE
)
_MOST_TEXT = 2**20
_LONGEST_NAME = 2_000


def read(container: Container) -> Reading:
    """Return what Blackboard packed, one for each attempt."""
    found: dict[tuple[str, str], list[tuple[re.Match[str], Piece]]] = defaultdict(list)
    strangers = []
    for piece in container.pieces:
        match = None if "/" in piece.name else _ENTRY.fullmatch(piece.name)
        if match is None:
            strangers.append(piece)
        else:
            found[match["who"], match["time"]].append((match, piece))
    shared = _shared([who for who, _ in found])
    hand_ins: list[HandIn] = []
    attempts: dict[str, int] = defaultdict(int)
    own = 0
    for (who, time), files in sorted(found.items()):
        texts = [piece for match, piece in files if match["file"] is None]
        about = _text(container, texts[0]) if texts else ""
        name, user = _name(about)
        if not user or not (who == user or who.endswith(f"_{user}")):
            name, user = "", who[len(shared) :] or who
        originals = {m["packed"].strip(): m["original"].strip() for m in _FILES.finditer(about)}
        members = [
            Member(piece.place, safe_name(originals.get(piece.name, match["file"])))
            for match, piece in files
            if match["file"] is not None
        ]
        own += len(texts)
        attempts[user] += 1
        hand_ins.append(
            HandIn(
                label=user,
                members=tuple(members) or tuple(Member(piece.place, "about.txt") for piece in texts),
                source=files[0][0].string,
                name=name,
                ids=(("blackboard", user),),
                submitted_at=_time(time),
                attempt=attempts[user],
            )
        )
        if not members:
            own -= len(texts)
    return Reading(tuple(hand_ins), tuple(strangers), own)


def _text(container: Container, piece: Piece) -> str:
    try:
        data = container.read(piece, _MOST_TEXT)
    except EntryError:
        return ""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _name(about: str) -> tuple[str, str]:
    """Return "Jane Doe" and "jdoe" of a text that begins with "Name: Jane Doe (jdoe)"."""
    rest = about.partition("\n")[0][:_LONGEST_NAME].partition(":")[2].strip()
    name, bracket, user = rest.removesuffix(")").rpartition("(")
    return (name.strip(), user.strip()) if bracket and rest.endswith(")") else ("", "")


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


def _shared(names: list[str]) -> str:
    """Return what all names begin with, up to an underscore: the assignment's name."""
    if len(set(names)) < 2:
        return f"{names[0].rpartition('_')[0]}_" if names and "_" in names[0] else ""
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: first.rfind("_", 0, same) + 1]
