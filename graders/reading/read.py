"""One path in, one Submission out: a script, notebook, folder, zip, or one student's part of a cohort's zip.

Nothing is executed and nothing is written; memory and time are bounded by ReadingLimits.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from graders.reading.archive import list_archive
from graders.reading.container import Member, list_members, open_cohort_zip
from graders.reading.entries import (
    Entry,
    EntryError,
    Gathered,
    Listing,
    gather,
    is_program_name,
    nearness,
    size_text,
)
from graders.reading.folder import file_entry, list_folder, not_a_file, refused_by_system, shown_name
from graders.reading.git import list_commit
from graders.reading.kinds import EXPECTED, HAND_IN, described, looks_like
from graders.reading.names import relative_name, shown, split_suffix, top_folder
from graders.reading.programs import find_programs
from graders.reading.submission import (
    ORDINARY,
    ReadingLimits,
    Submission,
    UnreadableSubmission,
    Words,
    content_hash,
)

_MOST_NOTES = 20
_WORDS = (".md", ".markdown", ".txt", ".text", ".rst")
_ABOUT = ("readme", "requirements", "license")
_CLUTTER = frozenset({"__macosx", ".ds_store", "thumbs.db", "desktop.ini"})
_ZIPS_OF_ANYTHING = ("a NumPy archive", "a PyTorch checkpoint")  # told by one name: scripts may lie beside it
_AT_THE_DOOR = replace(ORDINARY, total_bytes=32 * 2**20, entries=1_000, files=100)  # somebody waits for it


@dataclass(frozen=True)
class _HandedIn:
    """What lies at a path: a listing, or one file, which is then a listing of one."""

    label: str
    listing: Listing
    one_file: bool = False


def read_submission(
    path: str | os.PathLike[str],
    wanted: Sequence[str] = (),
    *,
    names: Sequence[str] = (),
    inside: str | None = None,
    members: Sequence[Member] = (),
    committed: bool = False,
    limits: ReadingLimits = ORDINARY,
    words: Words = "none",
) -> Submission:
    """Read what one student handed in.

    `wanted` are the file names that the assignment asks for; they decide which program is graded first, then
    `names`, what it asks to be defined. `inside` is the student's file or folder in the zip at `path`, and
    `members` are the student's files in the zip or folder there. `committed` reads what a git repository's
    HEAD holds, in place of its folder.
    Where `words` are asked for, such text files and notebooks without code are a submission too.
    A path that is itself a symbolic link is refused: resolve it first where it is to be trusted.

    Raises UnreadableSubmission, one clear sentence, where nothing can be read as a script or notebook.
    """
    place = Path(path)
    try:
        if committed:
            handed_in = _HandedIn(shown_name(place), list_commit(place, limits))
        elif members:
            handed_in = _of_members(place, members, limits)
        else:
            handed_in = _at(place, limits) if inside is None else _inside(place, inside, limits)
    except EntryError as error:
        name = inside.rsplit("/", 1)[-1] if inside else shown_name(place)
        raise UnreadableSubmission(error.of(name).sentence) from None
    gathered = gather(handed_in.listing, wanted, limits)
    found = find_programs(gathered.files, wanted, names, limits, words=words != "none")
    texts = _word_files(gathered.files, words, alone=not found.programs)
    if not found.programs and not found.prose and not texts:
        raise UnreadableSubmission(
            _why_no_words(gathered, words) or _why_nothing(handed_in, gathered, found.refused, wanted)
        )
    notes = [*found.notes, *gathered.notes, *found.refused, *(problem.note for problem in gathered.problems)]
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES:] = [f"{len(notes) - _MOST_NOTES:,} more notes like these were left out."]
    return Submission(
        files={**gathered.files, **found.rescued},
        programs=tuple(found.programs),
        notes=tuple(notes),
        content_hash=content_hash(gathered.files),
        prose=tuple(found.prose),
        word_files=tuple(texts),
    )


def why_no_work(
    files: Mapping[str, bytes], wanted: Sequence[str] = (), limits: ReadingLimits = _AT_THE_DOOR
) -> str:
    """Say why nothing in `files`, which came together, can be graded; "" where anything might be work.

    For certain is only what the bytes of each file tell to be of a kind that is never read: a document, a
    picture, an archive that is no zip. Scripts, notebooks and texts in any state, files of a kind that is
    asked for, what is of no known kind, damaged or protected, and whatever is beyond `limits` might be work.
    """
    if is_called_like_work(files, wanted):
        return ""
    entries = [Entry(name, len(data), partial(_start, data)) for name, data in files.items()]
    try:
        if len(entries) == 1:
            handed_in = _file(entries[0], limits)
        else:
            handed_in = _HandedIn("What came", Listing(tuple(entries)))
    except EntryError as error:
        [(name, data)] = files.items()
        is_zip = data.startswith(b"PK")  # damaged, or beyond the limits
        return error.of(name).sentence if looks_like(data) and not is_zip else ""
    listing = handed_in.listing
    if listing.problems or not _CLUTTER.issuperset(name.casefold() for name in listing.hidden):
        return ""
    for entry in listing.entries:
        if _is_called_like_work(entry.name, wanted) or split_suffix(entry.name)[1] == ".zip":
            return ""
    gathered = gather(listing, wanted, limits)
    if gathered.problems or not all(map(_is_told, gathered.files.values())):
        return ""
    return _why_nothing(handed_in, gathered, (), wanted)


def is_called_like_work(names: Iterable[str], wanted: Sequence[str] = ()) -> bool:
    """Whether any of these names is one of work, so that nothing need be opened to take it."""
    return any(_is_called_like_work(name, wanted) for name in names)


def _is_called_like_work(name: str, wanted: Sequence[str]) -> bool:
    suffix = split_suffix(name)[1]
    return is_program_name(name) or suffix in _WORDS or suffix in (split_suffix(one)[1] for one in wanted)


def _is_told(data: bytes) -> bool:
    """Whether bytes tell for certain what they are, or hold nothing."""
    return not data.strip() or looks_like(data) not in (None, *_ZIPS_OF_ANYTHING)


def _start(data: bytes, limit: int) -> bytes:
    return data[:limit]


def _word_files(files: Mapping[str, bytes], words: Words, *, alone: bool) -> list[str]:
    """Return the names of the files that hold a student's answers in words, `alone` or beside programs."""
    if words == "none":
        return []
    texts = [name for name, data in files.items() if split_suffix(name)[1] in _WORDS and data.strip()]
    called = [name for name in texts if "answer" in split_suffix(name)[0].casefold()]
    if called or words == "answers" or not alone:
        return sorted(called)
    return sorted(name for name in texts if split_suffix(name)[0].casefold() not in _ABOUT)


def _at(path: Path, limits: ReadingLimits) -> _HandedIn:
    try:
        status = path.lstat()
    except (OSError, ValueError) as error:
        raise refused_by_system(error) from None
    why = not_a_file(status.st_mode)
    if why:
        raise EntryError(why, "give the file itself")
    name = shown_name(path)
    if stat.S_ISDIR(status.st_mode):
        return _of_folder(name, list_folder(path, limits), limits)
    return _file(file_entry(path, relative_name(name) or "submission", status.st_size), limits)


def _inside(path: Path, inside: str, limits: ReadingLimits) -> _HandedIn:
    listing = open_cohort_zip(path)
    label = inside.rsplit("/", 1)[-1]
    for problem in listing.problems:
        if problem.name == inside:
            raise EntryError(problem.found, problem.step)
    alone = [entry for entry in listing.entries if entry.name == inside]
    if alone:
        return _file(replace(alone[-1], name=label), limits)
    return _of_folder(label, listing.below(inside), limits)


def _of_members(path: Path, members: Sequence[Member], limits: ReadingLimits) -> _HandedIn:
    """Return a student's files out of an LMS's zip; where one of them is a zip, then what is in it too."""
    listing = list_members(path, members)
    return _unpacked(members[0].name.partition("/")[0], listing, limits, one_file=len(members) == 1)


def _of_folder(label: str, listing: Listing, limits: ReadingLimits) -> _HandedIn:
    """Return what is in a folder; where no program lies there beside a zip, then what is in that too."""
    if any(is_program_name(entry.name) for entry in listing.entries):
        return _HandedIn(label, listing)
    return _unpacked(label, listing, limits)


def _unpacked(label: str, listing: Listing, limits: ReadingLimits, *, one_file: bool = False) -> _HandedIn:
    """Return a listing with what is in its zip, if there is one zip."""
    packed = [entry for entry in listing.entries if split_suffix(entry.name)[1] == ".zip"]
    if len(packed) != 1:
        return _HandedIn(label, listing, one_file=one_file)
    others = tuple(entry for entry in listing.entries if entry is not packed[0])
    try:
        unpacked = _file(packed[0], limits).listing
    except EntryError as error:
        if not others:
            raise
        return _HandedIn(label, Listing(others, (*listing.problems, error.of(packed[0].name))))
    top = top_folder(entry.name for entry in unpacked.entries)
    entries = unpacked.below(top).entries if top else unpacked.entries
    return _HandedIn(label, Listing((*others, *entries), (*listing.problems, *unpacked.problems)))


def _file(entry: Entry, limits: ReadingLimits) -> _HandedIn:
    """A single file is the listing itself, unless it is a zip: then what is in it."""
    if split_suffix(entry.name)[1] != ".zip":
        return _HandedIn(entry.name, Listing((entry,)), one_file=True)
    if entry.size > limits.archive_bytes:
        found, most = size_text(entry.size), size_text(limits.archive_bytes)
        raise EntryError(
            f"holds {found}, more than the {most} that a zip may hold", "zip only what you wrote"
        )
    data = entry.read(limits.archive_bytes)
    if not data:
        raise EntryError("is empty (0 bytes)", "make the zip again and hand it in")
    return _HandedIn(entry.name, list_archive(data, limits))


def _why_no_words(gathered: Gathered, words: Words) -> str:
    """Say how a text is to be called, where words are asked for and nothing but one came; "" elsewhere."""
    files = [(name, data) for name, data in gathered.files.items() if data.strip()]
    if words != "answers" or gathered.problems or len(files) != 1:
        return ""
    name = files[0][0]
    if split_suffix(name)[1] not in _WORDS or split_suffix(name)[0].casefold() in _ABOUT:
        return ""
    return f"{shown(name)} holds words; if they are your answers, name it answers.md and hand it in again."


def _why_nothing(
    handed_in: _HandedIn, gathered: Gathered, refused: Sequence[str], wanted: Sequence[str]
) -> str:
    """Say why nothing in a submission is a program, by the file that came nearest to one."""
    near = [p for p in gathered.problems if handed_in.one_file or is_program_name(p.name)]
    if near:
        return min(near, key=lambda problem: nearness(problem.name, wanted)).sentence
    if refused:
        return refused[0]
    label, files = shown(handed_in.label), sorted(gathered.files.items())
    holds = f"holds no files; expected {EXPECTED}: {HAND_IN}."
    if handed_in.one_file and not files[0][1].strip():
        holds = f"is empty; expected {EXPECTED}: save your work and hand it in again."
    elif handed_in.one_file:
        holds = f"is {described(handed_in.label, files[0][1])}, not {EXPECTED}; {HAND_IN}."
    elif files:
        kinds = ", ".join(f"{shown(name)} ({described(name, data)})" for name, data in files[:3])
        more = f" and {len(files) - 3:,} more files" if len(files) > 3 else ""
        holds = f"holds {kinds}{more}, but not {EXPECTED}; {HAND_IN}."
    elif gathered.problems:
        problem = gathered.problems[0]
        step = problem.step or f"expected {EXPECTED}: {HAND_IN}"
        holds = f"holds nothing that can be read: {shown(problem.name)} {problem.found}; {step}."
    return f"{label} {holds}"
