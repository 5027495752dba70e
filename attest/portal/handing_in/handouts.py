"""What students get of an assignment: the handout to read, and files to begin with.

They are what `attest release` would write, and like there nothing is given out that holds anything hidden.
"""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from markupsafe import Markup

from attest.handout import handout_files, leaks
from attest.installed import CHECKS
from attest.portal.courses.models import CourseAssignment
from graders.assignment import Assignment, AssignmentError, find_assignment
from reports.authors_markup import handout_html

_LOOK_AGAIN_SECONDS = 30
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files make the same zip
_READING = threading.Lock()  # a whole lesson takes seconds: a class that comes at once reads it once


@dataclass(frozen=True)
class Handout:
    """The files of a handout by their path in it, and what is to be read; or why there is none."""

    name: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    overview: Markup | None = None  # of an assignment of several exercises
    texts: tuple[tuple[str, Markup], ...] = ()  # each exercise's title, and what is asked
    trouble: str = ""  # for the instructor

    @property
    def starters(self) -> list[str]:
        """The files that one begins with. The public checks come in the zip, where they are of use."""
        return [name for name in self.files if name.partition("/")[0] != CHECKS and not _is_handout(name)]

    def zipped(self) -> bytes:
        """Return all of it as a zip, in a folder of its own."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in self.files.items():
                archive.writestr(
                    zipfile.ZipInfo(f"{self.name}/{name}", _LONG_AGO), data, zipfile.ZIP_DEFLATED
                )
        return buffer.getvalue()


def handout_of(assignment: CourseAssignment) -> Handout:
    """Return the handout of an assignment, as it was at most half a minute ago."""
    with _READING:
        return _looked(assignment.folder, int(time.monotonic() // _LOOK_AGAIN_SECONDS))


@lru_cache(maxsize=64)
def _looked(folder: str, _when: int) -> Handout:
    try:
        found = find_assignment(folder)
        return _read(folder, _as_it_is(found))
    except (AssignmentError, OSError, SyntaxError) as error:
        return Handout(trouble=str(error))


def _as_it_is(found: Assignment) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a file of the assignment does."""
    folders = dict.fromkeys((found.folder, *(exercise.folder for exercise in found.exercises)))
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in paths)


@lru_cache(maxsize=32)
def _read(folder: str, _as_it_was: tuple[tuple[str, int, int], ...]) -> Handout:
    found = find_assignment(folder)
    files = handout_files(found)
    leaking = leaks(found, files)
    if leaking:
        return Handout(trouble=" ".join(leaking[:3]))
    several = "README.md" in files
    texts = [
        (exercise.title, files[f"{exercise.id}/handout.md" if several else "handout.md"])
        for exercise in found.exercises
    ]
    return Handout(
        found.id,
        files,
        handout_html(_text(files["README.md"]), top=3) if several else None,
        tuple((title, handout_html(_text(data), top=4 if several else 3)) for title, data in texts),
    )


def _is_handout(name: str) -> bool:
    return name == "README.md" or name.rpartition("/")[2] == "handout.md"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
