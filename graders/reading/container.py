"""The zip or folder that an LMS gave: what lies in it, by the names that the LMS made.

Names are as long as the LMS made them: the ids in them come last, and a shortened name would lose them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from graders.reading.archive import list_archive
from graders.reading.entries import Entry, EntryError, Listing, Problem
from graders.reading.folder import file_entry, list_folder, not_a_file, refused_by_system
from graders.reading.names import clean, relative_name, top_folder
from graders.reading.rich_text import text_of_html
from graders.reading.submission import ORDINARY

COHORT = replace(ORDINARY, entries=200_000)
_MOST_HTML = 500_000  # bytes of a text that was typed into the LMS


@dataclass(frozen=True)
class Member:
    """One file of a student's: where it lies in the zip or folder, and its name in the submission."""

    place: str
    name: str  # safe and relative
    is_html: bool = False  # typed into the LMS: read as the text that it shows


@dataclass(frozen=True)
class Piece:
    """One file as the LMS packed it. `name` is its path in NFC, at full length."""

    name: str
    place: str


@dataclass(frozen=True)
class Container:
    """What lies in a zip or folder."""

    path: Path
    pieces: tuple[Piece, ...]
    problems: tuple[str, ...] = ()  # sentences: what can be nobody's
    hidden: tuple[str, ...] = ()

    def read(self, piece: Piece, limit: int) -> bytes:
        """Return a file of the LMS's own. Raises EntryError."""
        for entry in list_members(self.path, [Member(piece.place, "file")]).entries:
            return entry.read(limit)
        raise EntryError("cannot be read")

    def inside(self) -> Container | None:
        """Return this without the one folder that everything lies in; None where there is none such."""
        top = top_folder(piece.name for piece in self.pieces)
        if top is None:
            return None
        return replace(self, pieces=tuple(replace(p, name=p.name[len(top) + 1 :]) for p in self.pieces))


def open_container(path: Path) -> Container:
    """List a zip or folder. Raises EntryError."""
    is_folder = path.is_dir()
    listing = list_folder(path, COHORT) if is_folder else open_cohort_zip(path)
    pieces = [
        Piece(full_name(entry.raw or entry.name), entry.raw if is_folder else entry.name)
        for entry in listing.entries
    ]
    safe = [problem for problem in listing.problems if relative_name(problem.name) == problem.name]
    pieces += [Piece(problem.name, problem.name) for problem in safe]
    others = tuple(problem.sentence for problem in listing.problems if problem not in safe)
    return Container(path, tuple(sorted(pieces, key=lambda p: p.name)), others, listing.hidden)


def full_name(raw: str) -> str:
    """Return a path that is known to be safe with its parts in NFC, in full."""
    text = os.fsencode(raw).decode("utf-8", "replace")
    return "/".join(clean(part) for part in text.replace("\\", "/").split("/") if part not in ("", "."))


def safe_name(name: str) -> str:
    """Return the name that a student's file has in the submission, whatever the LMS put before it."""
    return relative_name(name.strip()) or "file"


def open_cohort_zip(path: Path) -> Listing:
    """List a cohort's zip, once for all the students in it. Raises EntryError."""
    return _of_zip(path, _listed)


def list_members(path: Path, members: Sequence[Member]) -> Listing:
    """List one student's files in the zip or folder at `path`, under their names in the submission."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    try:
        find = _finder(path)
    except EntryError as error:
        return Listing((), (error.of(path.name),))
    for member in members:
        try:
            entry = replace(find(member.place), name=member.name)
            entries.append(_as_text(entry) if member.is_html else entry)
        except EntryError as error:
            problems.append(error.of(member.name))
    return Listing(tuple(entries), tuple(problems))


def _finder(path: Path) -> Callable[[str], Entry]:
    if path.is_dir():
        return lambda place: _on_disk(path, place)
    entries, problems = _of_zip(path, _indexed)

    def find(place: str) -> Entry:
        if place in problems:
            raise EntryError(problems[place].found, problems[place].step)
        if place not in entries:
            raise EntryError("is not in the zip any more", "download it again")
        return entries[place]

    return find


def _on_disk(root: Path, place: str) -> Entry:
    path = root
    try:
        for part in place.split(os.sep):  # no part may have become a link since
            path /= part
            status = path.lstat()
            why = not_a_file(status.st_mode)
            if why or part == os.pardir:
                raise EntryError(why or "points outside the folder")
    except EntryError:
        raise
    except (OSError, ValueError) as error:
        raise refused_by_system(error) from None
    return file_entry(path, "", status.st_size)


def _as_text(entry: Entry) -> Entry:
    if entry.size > _MOST_HTML:
        raise EntryError("is longer than a text typed into an LMS may be", "hand it in as a file")

    def read(limit: int) -> bytes:
        return text_of_html(entry.read(_MOST_HTML).decode("utf-8-sig", "replace")).encode()[:limit]

    return replace(entry, read=read)


Key = tuple[Path, int, int, int]
T = TypeVar("T")


def _of_zip(path: Path, of: Callable[[Key], T]) -> T:
    # The process is part of the key because an open file's position is shared across a fork.
    try:
        status = path.stat()
        return of((path, status.st_mtime_ns, status.st_size, os.getpid()))
    except EntryError:
        raise
    except (OSError, ValueError) as error:
        raise refused_by_system(error) from None


@lru_cache(maxsize=1)
def _listed(key: Key) -> Listing:
    return list_archive(key[0], COHORT)


@lru_cache(maxsize=1)
def _indexed(key: Key) -> tuple[dict[str, Entry], dict[str, Problem]]:
    listing = _listed(key)
    return {entry.name: entry for entry in listing.entries}, {p.name: p for p in listing.problems}
