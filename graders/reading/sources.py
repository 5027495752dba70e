"""Where a cohort's submissions come from: which LMS packed them, told by the names in what it gave, or named.

A reader is chosen only where the names leave no doubt. Otherwise the paths are read as plain folders, and it
is said what was seen and how to name what it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.reading import blackboard, canvas, gradescope, moodle, nbgrader
from graders.reading.cohort import Cohort, CohortError, Found, find_submissions
from graders.reading.container import Container, open_container
from graders.reading.entries import EntryError
from graders.reading.folder import shown_name
from graders.reading.git import git_folder
from graders.reading.hand_in import HandIn, Reading
from graders.reading.identity import student_id
from graders.reading.names import listed, shown, split_suffix
from graders.result import Received, Student

SOURCES = ("canvas", "moodle", "blackboard", "gradescope", "nbgrader", "folder", "git")
_SURE = 0.5  # of the names are as one LMS writes them
_DEEPEST = 3  # folders around what the LMS packed
_MOST_NAMED = 20


@dataclass(frozen=True)
class Seen:
    """What one reader makes of one path."""

    source: str
    container: Container
    reading: Reading

    @property
    def share(self) -> float:
        """How much of it is as this LMS writes it."""
        return self.reading.understood / max(1, len(self.container.pieces))


def find_handed_in(
    paths: Iterable[str | os.PathLike[str]],
    wanted: Sequence[str] = (),
    source: str | None = None,
    assignment: str = "",
) -> Cohort:
    """Find what students handed in, as `source` packed it; where that is not said, as the names tell.

    `wanted` are the files that the assignment asks for, `assignment` is its id: nbgrader may hold several.
    Attempts are all found: several may have one student. Raises CohortError where there is nothing to grade.
    """
    places = list(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
    kind, _, named = (source or "").partition(":")
    if source is not None and kind not in SOURCES:
        raise CohortError(f"--from {shown(source)}: there is no such source; there are {', '.join(SOURCES)}.")
    if kind == "folder":
        return find_submissions(places, wanted)
    if kind == "git":
        return _repositories(places)
    names = [named] if named else [assignment]
    readers = _readers(names, certain=bool(kind))
    if kind:
        return _cohort(kind, [_named(place, kind, readers[kind]) for place in places])
    seen = [_best(place, readers) for place in places]
    sure = [one for one in seen if one is not None and one.share >= _SURE]
    if sure and len(sure) == len(places) and len({one.source for one in sure}) == 1:
        return _cohort(sure[0].source, sure)
    cohort = find_submissions(places, wanted)
    return replace(cohort, notes=(*cohort.notes, *_doubts(seen), *_clones(places)))


Reader = Callable[[Container], Reading]


def _readers(names: Sequence[str], *, certain: bool) -> dict[str, Reader]:
    return {  # of two that fit equally the first: Canvas's names are the least particular
        "moodle": moodle.read,
        "blackboard": blackboard.read,
        "gradescope": gradescope.read,
        "nbgrader": lambda container: nbgrader.read(container, names, collected=certain),
        "canvas": canvas.read,
    }


PATTERNS = {
    "canvas": canvas.PATTERN,
    "moodle": moodle.PATTERN,
    "blackboard": blackboard.PATTERN,
    "gradescope": gradescope.PATTERN,
    "nbgrader": nbgrader.PATTERN,
}


def _best(place: Path, readers: dict[str, Reader]) -> Seen | None:
    """Return what fits a path best; None where nothing fits at all."""
    if not place.is_dir() and split_suffix(place.name)[1] != ".zip":
        return None
    try:
        container = open_container(Path(os.path.realpath(place)))
    except (EntryError, OSError):
        return None  # said when it is read as a folder or zip
    seen = [one for source, reader in readers.items() if (one := _seen(container, source, reader))]
    return max(seen, key=lambda one: one.share, default=None)


def _seen(container: Container, source: str, reader: Reader) -> Seen | None:
    """Return what a reader makes of a container, or of the one folder in it."""
    outer: Container | None = container
    for _ in range(_DEEPEST):
        if outer is None:
            break
        reading = reader(outer)
        if reading.hand_ins or (reading.problems and reading.own):
            return Seen(source, outer, reading)
        outer = outer.inside()
    return None


def _named(place: Path, source: str, reader: Reader) -> Seen:
    """Read a path as what the instructor says it is. Raises CohortError."""
    try:
        container = open_container(Path(os.path.realpath(place)))
    except EntryError as error:
        raise CohortError(error.of(shown_name(place)).sentence) from None
    seen = _seen(container, source, reader)
    if seen is None:
        found = listed([piece.name for piece in container.pieces[:3]]) or "nothing"
        raise CohortError(
            f"{shown_name(place)} holds {found}, but no name as {source} writes them ({PATTERNS[source]}). "
            f"Leave --from out, or name what it is: {', '.join(SOURCES)}."
        )
    return seen


def _cohort(source: str, seen: Sequence[Seen]) -> Cohort:
    found: list[Found] = []
    problems: list[str] = []
    skipped: list[tuple[str, str]] = []
    for one in seen:
        label = shown_name(one.container.path)
        prefix = f"{label}/" if len(seen) > 1 else ""
        if not one.reading.hand_ins:
            raise CohortError(f"{label}: {' '.join(one.reading.problems)}")
        found += [_found(one, hand_in, prefix) for hand_in in one.reading.hand_ins]
        problems += [*one.container.problems, *one.reading.problems]
        strangers = [f"{prefix}{shown(piece.name)}" for piece in one.reading.strangers]
        skipped += [(name, f"is not called as {source} writes it") for name in strangers[:_MOST_NAMED]]
        if len(strangers) > _MOST_NAMED:
            skipped.append((f"{len(strangers) - _MOST_NAMED:,} more", "are called otherwise too"))
        skipped += [(f"{prefix}{name}", "is hidden") for name in one.container.hidden]
    students = len({each.student.id for each in found})
    note = f"Read as {source} packs them ({PATTERNS[source]}): {students:,} students."
    ordered = sorted(found, key=lambda each: (each.student.id.casefold(), each.received.attempt))
    return Cohort(tuple(ordered), tuple(problems), tuple(skipped), (note,), source)


def _found(seen: Seen, hand_in: HandIn, prefix: str) -> Found:
    ids = dict(hand_in.ids)
    return Found(
        student=Student(
            id=student_id(hand_in.label, is_folder=True),
            name=" ".join(hand_in.name.split())[:200],
            email=ids.get("email", ""),
            ids=hand_in.ids,
        ),
        path=seen.container.path,
        source=shown(f"{prefix}{hand_in.source}", 500),
        members=hand_in.members,
        received=Received(
            lms=seen.source,
            submitted_at=hand_in.submitted_at,
            late_in_lms=hand_in.late,
            attempt=hand_in.attempt,
        ),
    )


def _doubts(seen: Sequence[Seen | None]) -> list[str]:
    """Say which names are as an LMS writes them where that was not enough to go by."""
    return [
        f"{one.reading.understood:,} of {len(one.container.pieces):,} names in "
        f"{shown_name(one.container.path)} are as {one.source} writes them ({PATTERNS[one.source]}), too few "
        f"to be sure; it was read as a plain folder. If {one.source} packed it, say --from {one.source}."
        for one in seen
        if one is not None
    ]


def _clones(places: Sequence[Path]) -> list[str]:
    clones = sum(git_folder(folder) is not None for place in places for folder in _folders(place))
    if not clones:
        return []
    return [
        f"{clones:,} of the folders are git repositories; the files in them were read as they lie there. "
        "--from git reads what is committed."
    ]


def _folders(place: Path) -> list[Path]:
    try:
        with os.scandir(place) as found:
            return sorted(Path(item.path) for item in found if item.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _repositories(places: Sequence[Path]) -> Cohort:
    """Return the clones at or in these paths, of which what is committed is read."""
    found: list[Found] = []
    skipped: list[tuple[str, str]] = []
    for place in places:
        clones = [place] if git_folder(place) else _folders(place)
        for clone in clones:
            name = shown_name(clone)
            if git_folder(clone) is None:
                skipped.append((name, "is no git repository"))
                continue
            identity = student_id(name.removesuffix(".git"), is_folder=True)
            received = Received(lms="git")
            found.append(Found(Student(id=identity), clone, name, committed=True, received=received))
    if not found:
        raise CohortError(
            f"{listed([shown_name(place) for place in places]) or 'No path'} holds no git repositories; "
            "give a folder with one clone per student, or leave --from out."
        )
    note = f"Read as committed (HEAD) in {len(found):,} git repositories."
    return Cohort(tuple(found), (), tuple(skipped), (note,), "git")
