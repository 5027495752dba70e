"""Whose submissions lie at the paths that an instructor gave: folders, zips, files, or several of these.

Only names are looked at here; a submission is read when it is graded. One bad entry never stops the rest.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graders.reading.container import Member, open_cohort_zip
from graders.reading.entries import EntryError, Listing, is_program_name, nearness
from graders.reading.folder import not_a_file, refused_by_system, shown_name
from graders.reading.identity import clashes, distinct_ids
from graders.reading.names import is_hidden, listed, relative_name, shown, split_suffix
from graders.reading.read import read_submission
from graders.reading.submission import ORDINARY, ReadingLimits, Submission, Words
from graders.result import Late, Received, Result, Student

_NOT_STUDENTS = frozenset({"readme", "roster", "grades", "gradebook", "students", "index", "license"})
_LISTS = frozenset({".csv", ".tsv", ".log", ".toml", ".yaml", ".yml", ".ini"})
_MOST_ENTRIES = 50_000  # in a cohort's folder
_MOST_COMPANIONS = 4  # beside attention.py in one student's folder; with more it is a cohort's
_NEXT_STEP = "give a folder or zip with one .py, .ipynb, .zip or folder per student"


_PLAIN = Received()


class CohortError(ValueError):
    """No submission was found at all. The message is one sentence: where, what was expected, what to do."""


@dataclass(frozen=True)
class Found:
    """One student's submission, not yet read."""

    student: Student
    path: Path
    source: str  # as the instructor knows it, relative to the cohort
    inside: str | None = None  # the file or folder within the zip at `path`
    members: tuple[Member, ...] = ()  # the files within the zip or folder at `path`, as an LMS packed them
    committed: bool = False  # what a git repository at `path` holds, in place of its folder
    received: Received = _PLAIN
    late: Late | None = None

    def read(
        self,
        wanted: Sequence[str] = (),
        *,
        names: Sequence[str] = (),
        limits: ReadingLimits = ORDINARY,
        words: Words = "none",
    ) -> Submission:
        """Read it, as `read_submission` does."""
        return read_submission(
            self.path,
            wanted,
            names=names,
            inside=self.inside,
            members=self.members,
            committed=self.committed,
            limits=limits,
            words=words,
        )

    def laid_over(self, result: Result) -> Result:
        """Return `result` with whose it is, how it came and how late, as is known now; itself where equal."""
        came = dict(self.received)
        submission = result.submission.model_copy(update=came)
        known = {"student": self.student, "submission": submission, "late": self.late}
        same = (result.student, result.submission, result.late) == tuple(known.values())
        return result if same else result.model_copy(update=known)


@dataclass(frozen=True)
class Cohort:
    """All submissions found, and everything that the instructor should know of the rest."""

    found: tuple[Found, ...]
    problems: tuple[str, ...] = ()  # sentences: what was not found, or is not as it should be
    skipped: tuple[tuple[str, str], ...] = ()  # (path, why) of what is nobody's submission
    notes: tuple[str, ...] = ()  # sentences: how a path was understood
    source: str = "folder"  # what gave it: "canvas", "moodle", …


@dataclass(frozen=True)
class _Item:
    """A file or folder that is a submission, or holds some."""

    name: str
    path: Path
    source: str
    inside: str | None = None
    is_folder: bool = False

    @property
    def is_zip(self) -> bool:
        return not self.is_folder and split_suffix(self.name)[1] == ".zip"


@dataclass
class _Search:
    """What is looked for, and what a search has met so far beside the submissions."""

    wanted: Sequence[str]
    one_path: bool
    problems: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def source(self, container: _Item, name: str) -> str:
        """Return what to call something in a folder or zip: its path relative to the cohort."""
        return name if self.one_path else f"{container.source}/{name}"

    def is_wanted(self, name: str) -> bool:
        """Whether a file is called what the assignment asks for."""
        return nearness(name, self.wanted) <= 2


def find_submissions(paths: Iterable[str | os.PathLike[str]], wanted: Sequence[str] = ()) -> Cohort:
    """Find the submissions at `paths`: folders or zips with one file or folder per student, or single files.

    A student's id is the name before the extension, or the folder's name. `wanted` are the file names that
    the assignment asks for: a folder or zip in which one of them lies directly is one submission, not a
    cohort. A symbolic link is followed only where it is the one path given. Two submissions of one id are
    both found, under ids made of their paths, and a problem names them.

    Raises CohortError where there is nothing to grade.
    """
    places = list(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
    search = _Search(wanted, one_path=len(places) == 1)
    given = [item for item in (_given(place, places, search) for place in places) if item is not None]
    inner = {item: _inner(item, search) for item in given if item.is_folder or item.is_zip}
    whole = _whole_submissions(inner, search)
    items: dict[tuple[Path, str | None], _Item] = {}
    for item in given:
        is_cohort = item in inner and item not in whole
        for student in _students(item, inner[item], search) if is_cohort else [item]:
            items.setdefault((student.path, student.inside), student)
    if not items:
        raise CohortError(_nothing_found(places, search))
    named = [(item.name, item.is_folder, item.source) for item in items.values()]
    found = tuple(
        Found(Student(id=identity), item.path, shown(item.source, 500), item.inside)
        for identity, item in zip(distinct_ids(named), items.values(), strict=True)
    )
    return Cohort(found, (*search.problems, *clashes(named)), tuple(search.skipped), tuple(search.notes))


def _given(place: Path, places: Sequence[Path], search: _Search) -> _Item | None:
    """Return what lies at a path that the instructor gave."""
    source = shown_name(place)
    try:
        if search.one_path:
            place = Path(os.path.realpath(place))
        else:
            base = os.path.commonpath([other.parent for other in places])
            source = os.fsencode(os.path.relpath(place, base)).decode("utf-8", "replace")
        mode = place.lstat().st_mode
        why = not_a_file(mode)
        if why:
            raise EntryError(why, "give the file or folder itself")
    except EntryError as error:
        search.problems.append(error.of(source).sentence)
        return None
    except (OSError, ValueError) as error:
        search.problems.append(refused_by_system(error).of(source).sentence)
        return None
    return _Item(shown_name(place), place, source, is_folder=stat.S_ISDIR(mode))


def _inner(item: _Item, search: _Search) -> list[_Item] | EntryError:
    """Return what lies directly in a folder or zip, or why that cannot be told."""
    try:
        return _in_folder(item, search) if item.is_folder else _in_zip(item, search)
    except EntryError as error:
        return error
    except OSError as error:
        return refused_by_system(error)


def _in_folder(folder: _Item, search: _Search) -> list[_Item]:
    items: list[_Item] = []
    with os.scandir(folder.path) as found:
        for count, entry in enumerate(found):
            if count >= _MOST_ENTRIES:
                raise EntryError(f"holds more than {_MOST_ENTRIES:,} files", "give a smaller folder")
            path = Path(entry.path)
            name = shown_name(path)
            source = search.source(folder, name)
            mode = entry.stat(follow_symlinks=False).st_mode
            why = not_a_file(mode)
            if is_hidden(name):
                search.skipped.append((source, "is hidden"))
            elif why:
                search.problems.append(EntryError(why, "put the file itself there").of(source).sentence)
            else:
                items.append(_Item(name, path, source, is_folder=stat.S_ISDIR(mode)))
    return sorted(items, key=lambda item: (item.name.casefold(), item.name))


def _in_zip(archive: _Item, search: _Search) -> list[_Item]:
    """Return the top of a zip; where that is nothing but the cohort's folder, return what is in that."""
    listing = open_cohort_zip(archive.path)
    search.skipped += [(search.source(archive, name), "is hidden") for name in listing.hidden]
    search.problems += [problem.sentence for problem in listing.problems if not _is_safe(problem.name)]
    prefix, tops = "", _tops(listing)
    while len(tops) == 1 and all(tops.values()):
        (folder,) = tops
        listing = listing.below(folder)
        inner = _tops(listing)
        if folder != split_suffix(archive.name)[0] and (len(inner) == 1 or any(map(search.is_wanted, inner))):
            break  # one student's folder
        prefix, tops = f"{prefix}{folder}/", inner
    return [
        _Item(name, archive.path, search.source(archive, f"{prefix}{name}"), f"{prefix}{name}", is_folder)
        for name, is_folder in sorted(tops.items(), key=lambda top: (top[0].casefold(), top[0]))
    ]


def _is_safe(name: str) -> bool:
    return relative_name(name) == name


def _tops(listing: Listing) -> dict[str, bool]:
    """Return the names at the top of a zip and whether each is a folder; what is refused counts too."""
    tops: dict[str, bool] = {}
    refused = [problem.name for problem in listing.problems if _is_safe(problem.name)]
    for name in [entry.name for entry in listing.entries] + refused:
        top, slash, _ = name.partition("/")
        tops[top] = tops.get(top, False) or bool(slash)
    return tops


def _whole_submissions(inner: Mapping[_Item, list[_Item] | EntryError], search: _Search) -> set[_Item]:
    """Return the folders and zips that are one submission each.

    A file called what the assignment asks for tells. Where several paths are given, as `cohort/*` gives them,
    so do a neighbour that is one submission, and having nothing in it from which to tell students apart.
    """
    whole = {
        item for item, members in inner.items() if isinstance(members, list) and _is_one(members, search)
    }
    if not search.one_path:
        neighbours = {item.path.parent for item in whole}
        for item, members in inner.items():
            lone = isinstance(members, EntryError) or sum(map(_may_be_submission, members)) <= 1
            if item.path.parent in neighbours or lone:
                whole.add(item)
    search.notes += [
        f"{shown(item.source)} was read as one student's submission."
        for item, members in inner.items()
        if item in whole and isinstance(members, list) and len(members) > 1
    ]
    return whole


def _is_one(members: Sequence[_Item], search: _Search) -> bool:
    asked_for = [member for member in members if not member.is_folder and search.is_wanted(member.name)]
    others = [member for member in members if member not in asked_for and _may_be_submission(member)]
    return bool(asked_for) and len(others) <= _MOST_COMPANIONS


def _may_be_submission(item: _Item) -> bool:
    return item.is_folder or item.is_zip or is_program_name(item.name)


def _students(container: _Item, members: list[_Item] | EntryError, search: _Search) -> list[_Item]:
    """Return the members of a cohort that are submissions, whatever kind of file a student handed in."""
    if isinstance(members, EntryError):
        search.problems.append(members.of(container.source).sentence)
        return []
    students = []
    for member in members:
        stem, suffix = split_suffix(member.name)
        if not _may_be_submission(member) and (stem.casefold() in _NOT_STUDENTS or suffix in _LISTS):
            search.skipped.append((member.source, "is about the cohort, not a submission"))
        else:
            students.append(member)
    return students


def _nothing_found(places: Sequence[Path], search: _Search) -> str:
    if not places:
        return f"No path was given; {_NEXT_STEP}."
    if search.problems:
        return search.problems[0]
    return f"{listed([shown_name(place) for place in places])} holds no submissions; {_NEXT_STEP}."
