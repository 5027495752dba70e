"""Canvas's "Download Submissions": all files beside each other, whose they are said in their names.

    doejane_4711_90210_attention.py          name, user id, file id, file
    doejane_LATE_4711_90210_attention.py     handed in late
    doejane_4711_text.html                   typed into Canvas; _link.html is an address
    anon_x7Qk2_90210_attention.py            anonymous; LATE_ stands first

Canvas takes every character that is no letter, digit or underscore out of the name, and every number between
underscores, so the first number between underscores is the user's id.
"""

from __future__ import annotations

import re
from collections import defaultdict

from graders.reading.container import Container, Member, safe_name
from graders.reading.hand_in import HandIn, Reading

PATTERN = "NAME_USERID_FILEID_FILE"
_WHAT = r"(?:(?P<file_id>\d+)_(?P<file>.+)|(?P<typed>text|link)\.html)"
_ANONYMOUS = re.compile(rf"(?P<late>LATE_)?anon_(?P<anon>[A-Za-z0-9]{{5}})_{_WHAT}", re.DOTALL)
_NAMED = re.compile(rf"(?:(?P<name>.+?)_)?(?P<late>LATE_)?(?P<user>\d+)_{_WHAT}", re.DOTALL)
_LONGEST = 1_000


def read(container: Container) -> Reading:
    """Return what Canvas packed."""
    found: dict[tuple[str, str], list[tuple[re.Match[str], Member]]] = defaultdict(list)
    strangers = []
    for piece in container.pieces:
        match = _understood(piece.name)
        if match is None:
            strangers.append(piece)
            continue
        parts = match.groupdict()
        who = ("canvas_anonymous", parts["anon"]) if parts.get("anon") else ("canvas", parts["user"])
        found[who].append((match, _member(match, piece.place)))
    hand_ins = []
    for (kind, identity), files in found.items():
        first = files[0][0].groupdict()
        name = first.get("name") or ("anon" if kind == "canvas_anonymous" else "")
        hand_ins.append(
            HandIn(
                label=f"{name}_{identity}" if name else identity,
                members=tuple(member for _, member in files),
                source=files[0][0].string,
                name=name,
                ids=((kind, identity),),
                late=any(match["late"] for match, _ in files),
            )
        )
    return Reading(tuple(hand_ins), tuple(strangers))


def _understood(name: str) -> re.Match[str] | None:
    if "/" in name or len(name) > _LONGEST * 10:
        return None
    return _ANONYMOUS.fullmatch(name) or _NAMED.fullmatch(name)


def _member(match: re.Match[str], place: str) -> Member:
    if match["typed"] == "text":
        return Member(place, "text_entry_answers.md", is_html=True)
    if match["typed"] == "link":
        return Member(place, "link.html")
    return Member(place, safe_name(match["file"]))
