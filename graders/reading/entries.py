"""From listed entries to the files of one submission: what is kept, in which order, and within which caps.

An entry is a name, a size and a way to read it; whether it lies in a folder or a zip is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from graders.reading.kinds import EXPECTED, HAND_IN, described
from graders.reading.names import PROGRAM_SUFFIXES, closeness, listed, shown, split_suffix, top_folder
from graders.reading.submission import ReadingLimits

MEGABYTE = 2**20


@dataclass(frozen=True)
class Problem:
    """Why a file or folder is not read: `found` and `step` continue a sentence that begins with its name."""

    name: str
    found: str  # "is a named pipe, not a file"
    step: str = ""  # "make the zip again without a password"

    @property
    def sentence(self) -> str:
        """The sentence for a submission of which nothing else can be read."""
        step = self.step or f"expected {EXPECTED}: {HAND_IN}"
        return f"{shown(self.name)} {self.found}; {step}."

    @property
    def note(self) -> str:
        """The sentence beside a submission of which the rest was read."""
        return f"{shown(self.name)} was left out: it {self.found}."


class EntryError(ValueError):
    """One entry cannot be read; what is missing for a Problem is only its name."""

    def __init__(self, found: str, step: str = "") -> None:
        super().__init__(f"{found}; {step}" if step else found)
        self.found = found
        self.step = step

    def of(self, name: str) -> Problem:
        """Return this as the Problem of the file or folder called `name`."""
        return Problem(name, self.found, self.step)


@dataclass(frozen=True)
class Entry:
    """A file that could be read. `name` is a relative POSIX path, already safe."""

    name: str
    size: int  # as the folder or zip states it: a claim
    read: Callable[[int], bytes]  # at most so many bytes; raises EntryError
    raw: str = ""  # the path as it stands in the folder or zip, neither checked nor shortened


@dataclass(frozen=True)
class Listing:
    """Everything found in a folder or zip, before anything is read."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    hidden: tuple[str, ...] = ()  # what no student wrote, by its name at the top

    def below(self, folder: str) -> Listing:
        """Return what lies in `folder`, by names relative to it."""
        cut = len(folder) + 1

        def within(name: str) -> bool:
            return name.startswith(f"{folder}/")

        return Listing(
            tuple(replace(e, name=e.name[cut:]) for e in self.entries if within(e.name)),
            tuple(replace(p, name=p.name[cut:]) for p in self.problems if within(p.name)),
        )


@dataclass(frozen=True)
class Gathered:
    """The files of one submission in memory, and what was left out."""

    files: dict[str, bytes]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def size_text(size: int) -> str:
    """Return a size as a person reads it: "50.0 MB", "312 bytes"."""
    if size < MEGABYTE // 10:
        return f"{size:,} byte{'s' * (size != 1)}"
    return f"{size / MEGABYTE:,.1f} MB"


def is_program_name(name: str) -> bool:
    """Whether a name is a script's or notebook's; so are `attention.py.txt` and `attention.ipynb.json`."""
    stem, suffix = split_suffix(name)
    return suffix in PROGRAM_SUFFIXES or (
        suffix in (".txt", ".json") and split_suffix(stem)[1] in PROGRAM_SUFFIXES
    )


def nearness(name: str, wanted: Sequence[str]) -> int:
    """How near a file comes to the ones asked for: 0 is one of them, 4 is none."""
    return min((closeness(name, asked) for asked in wanted), default=4)


def gather(listing: Listing, wanted: Sequence[str], limits: ReadingLimits) -> Gathered:
    """Read what a submission needs: the files asked for first, then programs, then the smallest others."""
    problems = list(listing.problems)
    entries, notes = _without_doubles(_without_top_folder(listing.entries))

    def urgency(entry: Entry) -> tuple[int, bool, int, str]:
        return nearness(entry.name, wanted), not is_program_name(entry.name), entry.size, entry.name

    files: dict[str, bytes] = {}
    left = limits.total_bytes
    for entry in sorted(entries, key=urgency):
        try:
            _check_size(entry, left, len(files), limits)
            left -= entry.size  # also where reading fails: unpacking was paid for
            data = entry.read(limits.file_bytes + 1)
            left -= max(0, len(data) - entry.size)
            _check_content(entry, data, left, limits)
        except EntryError as error:
            problems.append(error.of(entry.name))
        else:
            files[entry.name] = data
    return Gathered(files, tuple(problems), tuple(notes))


def _check_size(entry: Entry, left: int, count: int, limits: ReadingLimits) -> None:
    if entry.size > limits.file_bytes:
        raise _too_big(entry.name, size_text(entry.size), limits)
    if count >= limits.files:
        raise EntryError(f"comes after the first {limits.files:,} files", "hand in only what you wrote")
    if entry.size > left:
        raise EntryError(
            f"does not fit into the {size_text(limits.total_bytes)} that all files together may hold",
            "hand in only what you wrote",
        )


def _check_content(entry: Entry, data: bytes, left: int, limits: ReadingLimits) -> None:
    if len(data) > limits.file_bytes or left < 0:
        raise _too_big(entry.name, "more than it says", limits)
    if not is_program_name(entry.name) and described(entry.name, data) == "a zip archive":
        raise EntryError("is a zip inside the submission, which is not opened", HAND_IN)


def _too_big(name: str, found: str, limits: ReadingLimits) -> EntryError:
    notebook = split_suffix(name)[1] == ".ipynb"
    return EntryError(
        f"holds {found}, more than the {size_text(limits.file_bytes)} that one file may hold",
        "clear all outputs, save it and hand it in again"
        if notebook
        else "hand in only the code that you wrote",
    )


def _without_top_folder(entries: Sequence[Entry]) -> list[Entry]:
    """Strip the one folder that everything lies in, as often as there is one."""
    kept = list(entries)
    while kept:
        top = top_folder(entry.name for entry in kept)
        if top is None:
            break
        kept = [replace(entry, name=entry.name[len(top) + 1 :]) for entry in kept]
    return kept


def _without_doubles(entries: Iterable[Entry]) -> tuple[list[Entry], list[str]]:
    """Keep the last of several entries of one name, as unpacking would; a file yields to a folder."""
    by_name: dict[str, Entry] = {}
    doubled: set[str] = set()
    for entry in entries:
        if entry.name in by_name:
            doubled.add(entry.name)
        by_name[entry.name] = entry
    notes = []
    if doubled:
        notes.append(f"More than one file is called {listed(sorted(doubled))}; the last one was read.")
    folders = {parent for name in by_name for parent in _parents(name)}
    kept = [entry for name, entry in by_name.items() if name not in folders]
    if len(kept) < len(by_name):
        both = sorted(name for name in by_name if name in folders)
        notes.append(f"Both a file and a folder are called {listed(both)}; the file was left out.")
    folded: dict[str, str] = {}
    for entry in kept:
        other = folded.setdefault(entry.name.casefold(), entry.name)
        if other != entry.name:
            notes.append(f"{shown(other)} and {shown(entry.name)} differ only in capitals; both were kept.")
    return kept, notes


def _parents(name: str) -> Iterable[str]:
    parts = name.split("/")[:-1]
    for end in range(1, len(parts) + 1):
        yield "/".join(parts[:end])
