"""What reading leaves behind: a Submission, or one clear sentence why there is none.

Plain data only. Nothing here opens a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # finding and naming submissions must not wait for torch, which the sandbox imports
    from sandbox import Program


@dataclass(frozen=True)
class ReadingLimits:
    """How much of a submission is read. Beyond a cap nothing is read: it is left out, and said so."""

    file_bytes: int = 20 * 2**20  # of one file
    total_bytes: int = 64 * 2**20  # of all files together; half of what a guest's disk holds
    archive_bytes: int = 64 * 2**20  # of a zip, as it lies on the disk
    files: int = 1_000  # that are kept
    entries: int = 20_000  # that are looked at, kept or not
    depth: int = 16  # folders in folders
    cells: int = 10_000  # of one notebook
    ratio: int = 250  # unpacked to packed size of one zip entry above a megabyte


ORDINARY = ReadingLimits()


# Whether a student's words are a submission without code: in no file, in one called answers.md or nearly so,
# or in any text file.
Words = Literal["none", "answers", "any"]


@dataclass(frozen=True)
class ProseCell:
    """One cell of a notebook that holds words: a Markdown cell, or a code cell that is only a string."""

    path: str  # of the notebook
    number: int  # 1-based over the notebook's cells of this kind
    text: str
    tags: tuple[str, ...] = ()
    kind: Literal["Markdown", "code"] = "Markdown"


@dataclass(frozen=True)
class Submission:
    """One student's files for one assignment, in memory.

    `files` maps relative POSIX names (NFC, without control or direction marks) to contents. A script
    that Python itself could not decode (UTF-16, say) stands there as UTF-8, so that it can be imported;
    `content_hash` is always of the files as they were handed in.
    """

    files: Mapping[str, bytes]
    programs: tuple[Program, ...]  # the one to grade comes first; empty only where words are asked for
    notes: tuple[str, ...] = ()  # sentences for the student
    content_hash: str = ""  # "sha256:…"
    prose: tuple[ProseCell, ...] = field(default=())
    word_files: tuple[str, ...] = ()  # names of the files that hold words


class UnreadableSubmission(ValueError):
    """Nothing can be read as a script or notebook.

    The message is one sentence: the file, what was found, what was expected and the next step.
    """


def content_hash(files: Mapping[str, bytes]) -> str:
    """Return "sha256:…" over the sorted names and contents; lengths keep neighbours apart."""
    digest = hashlib.sha256()
    for name in sorted(files):
        encoded = name.encode()
        digest.update(b"%d %d\n" % (len(encoded), len(files[name])))
        digest.update(encoded)
        digest.update(files[name])
    return f"sha256:{digest.hexdigest()}"
