"""Gradescope's "Export Submissions": a folder per submission, and one list that says whose each is.

    submission_metadata.yml
    submission_1001/attention.py

Of the list only these are read: the folders' names, and the names, ids, addresses and time under each. They
stand at fixed depths, deeper than which everything that a student's program printed lies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graders.reading.container import Container, Member, safe_name
from graders.reading.entries import EntryError
from graders.reading.hand_in import HandIn, Reading
from graders.reading.names import clean, shown

PATTERN = "submission_NUMBER/FILE beside submission_metadata.yml"
LIST = "submission_metadata.yml"
_MOST_LIST = 512 * 2**20
_FOLDER = re.compile(r"(?P<folder>submission_\d+)/(?P<file>.+)", re.DOTALL)
_TOP = re.compile(r"(['\"]?)(?P<folder>[\w.-]+)\1:\s*(?:&\d+\s*)?(?:!\S+\s*)?")
_KEY = re.compile(r"(?P<indent> *)(?P<dash>- )?:?(?P<key>\w+):(?: (?P<value>.*))?")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?\s*(Z|UTC|[+-]\d\d:?\d\d)?")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")


@dataclass
class _Listed:
    """What the list says of one folder."""

    people: list[dict[str, str]] = field(default_factory=list)
    created_at: datetime | None = None


def read(container: Container) -> Reading:
    """Return what Gradescope packed."""
    lists = [piece for piece in container.pieces if piece.name == LIST]
    if not lists:
        return Reading((), container.pieces)
    try:
        listed = read_list(container.read(lists[0], _MOST_LIST).decode("utf-8-sig", "replace"))
        problems: list[str] = []
    except EntryError as error:
        listed, problems = {}, [error.of(LIST).sentence]
    members: dict[str, list[Member]] = {}
    strangers = []
    for piece in container.pieces:
        match = _FOLDER.fullmatch(piece.name)
        folder, _, rest = piece.name.partition("/")
        if match or (rest and folder in listed):
            members.setdefault(folder, []).append(Member(piece.place, safe_name(rest)))
        elif piece.name != LIST:
            strangers.append(piece)
    hand_ins: list[HandIn] = []
    for folder, files in members.items():
        about = listed.get(folder, _Listed())
        if len(about.people) > 1:
            names = ", ".join(shown(one.get("name") or "(no name)") for one in about.people)
            problems.append(f"{folder} was handed in by a group ({names}); each of them gets its points.")
        for person in about.people or [{}]:
            hand_ins.append(_hand_in(folder, person, about, tuple(files)))
    problems += [f"{folder} is in {LIST}, but has no files." for folder in listed if folder not in members]
    return Reading(tuple(hand_ins), tuple(strangers), len(lists), tuple(problems))


def _hand_in(folder: str, person: dict[str, str], about: _Listed, members: tuple[Member, ...]) -> HandIn:
    number = folder.rpartition("_")[2]
    ids = [("gradescope", number), ("sid", person.get("sid", "")), ("email", person.get("email", ""))]
    return HandIn(
        label=person.get("sid") or person.get("email") or f"{person.get('name', '')} {folder}".strip(),
        members=members,
        source=folder,
        name=person.get("name", ""),
        ids=tuple((kind, identity) for kind, identity in ids if identity),
        submitted_at=about.created_at,
    )


def read_list(text: str) -> dict[str, _Listed]:
    """Return what a submission_metadata.yml says, by folder."""
    found: dict[str, _Listed] = {}
    now: _Listed | None = None
    section = ""
    person: dict[str, str] = {}
    open_key = ""  # of a scalar that may go on in the next line
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line or line.startswith(("#", "---")):
            continue
        if line[0] not in " -":
            top = _TOP.fullmatch(line)
            now = found.setdefault(clean(top["folder"]), _Listed()) if top else None
            section = ""
            continue
        key = _KEY.fullmatch(line)
        if now is not None and key is None and open_key and line.startswith("    "):
            person[open_key] += f" {line.strip()}"
        if now is None or key is None:
            continue
        open_key = ""
        indent = len(key["indent"])
        if indent == 2 and not key["dash"]:
            section = key["key"]
            if section == "created_at":
                now.created_at = _time(key["value"] or "")
        elif section == "submitters" and indent in (2, 4) and key["value"]:
            if key["dash"]:
                person = {}
                now.people.append(person)
            if now.people and key["key"] in ("name", "sid", "email"):
                open_key = key["key"]
                person[open_key] = key["value"]
        elif section == "created_at" and key["key"] == "utc" and now.created_at is None:
            now.created_at = _time(key["value"] or "")
    for listed in found.values():
        listed.people = [
            {key: " ".join(clean(_scalar(value)).split()) for key, value in one.items()}
            for one in listed.people
        ]
    return found


def _scalar(text: str) -> str:
    """Return a YAML scalar of one line as the text it stands for."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(_unescaped, text[1:-1])
    return "" if text in ("~", "null") else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(min(int(code[1:], 16), 0x10FFFF))
    return {"n": "\n", "t": "\t", "r": "\r", "0": "", "e": ""}.get(code, code)


def _time(text: str) -> datetime | None:
    found = _TIME.search(text)
    if not found:
        return None
    zone = found[4] or ""
    try:
        moment = datetime.fromisoformat(
            f"{found[1]}T{found[2]}{'.' + found[3].ljust(6, '0') if found[3] else ''}"
            f"{'+00:00' if zone in ('', 'Z', 'UTC') else zone}"
        )
    except ValueError:
        return None
    return moment.astimezone(UTC)
