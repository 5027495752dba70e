"""Files of a zip, listed and unpacked in memory only, with every claim of the zip taken as a claim.

Nothing is written to disk, so a name can reach nothing; it is still checked, since the guest will see it.
"""

from __future__ import annotations

import stat
import zipfile
from io import BytesIO
from pathlib import Path
from typing import IO

from graders.reading.entries import MEGABYTE, Entry, EntryError, Listing, Problem, size_text
from graders.reading.folder import not_a_file
from graders.reading.kinds import looks_like
from graders.reading.names import is_hidden, relative_name
from graders.reading.submission import ReadingLimits

_CENTRAL_RECORD = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)  # LZMA may claim gigabytes at once
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DAMAGED = "is damaged or cut short and cannot be opened as a zip"
_ZIP_AGAIN = "make the zip again and hand it in"


def list_archive(archive: bytes | Path, limits: ReadingLimits) -> Listing:
    """List the files of a zip, given as its bytes or where it lies. Raises EntryError.

    A zip given by path stays open for as long as its entries are referred to.
    """
    opened = _opened(archive, limits)
    entries: list[Entry] = []
    problems: list[Problem] = []
    hidden: set[str] = set()
    for info in opened.infolist():
        raw = _name(info)
        if raw.endswith(("/", "\\")):
            continue
        name = relative_name(raw)
        if name is None:
            problems.append(Problem(raw, "has a name that points outside the zip"))
        elif is_hidden(name):
            hidden.add(name.partition("/")[0])
        else:
            try:
                _check(info, name, limits)
            except EntryError as error:
                problems.append(error.of(name))
            else:
                entries.append(_entry(opened, info, name, raw))
    return Listing(tuple(entries), tuple(problems), tuple(sorted(hidden)))


def _opened(archive: bytes | Path, limits: ReadingLimits) -> zipfile.ZipFile:
    try:
        with archive.open("rb") if isinstance(archive, Path) else BytesIO(archive) as file:
            head = file.read(512)
            kind = looks_like(head)
            if kind and not head.startswith(b"PK"):
                raise EntryError(f"is {kind}, not a zip")
            file.seek(0)
            # zipfile builds an object for every record before one can say stop; each begins with these bytes.
            if _occurrences(file, _CENTRAL_RECORD) > limits.entries:
                raise EntryError(f"is a zip of more than {limits.entries:,} files", "zip only what you wrote")
        return zipfile.ZipFile(archive if isinstance(archive, Path) else BytesIO(archive))
    except (EntryError, OSError):
        raise
    except Exception:  # zipfile has no one exception for what hostile bytes do to it
        raise EntryError(_DAMAGED, _ZIP_AGAIN) from None


def _entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, raw: str) -> Entry:
    def read(limit: int) -> bytes:
        try:
            with opened.open(info) as file:
                return file.read(limit)
        except Exception:  # as above
            raise EntryError("is damaged inside the zip", _ZIP_AGAIN) from None

    return Entry(name, info.file_size, read, raw)


def _check(info: zipfile.ZipInfo, name: str, limits: ReadingLimits) -> None:
    """Raise EntryError where an entry is not one to be unpacked."""
    if info.flag_bits & _ENCRYPTED:
        raise EntryError("is protected by a password", "make the zip again without a password and hand it in")
    mode = info.external_attr >> 16
    found = not_a_file(mode) if stat.S_IFMT(mode) else None
    if found:
        raise EntryError(found)
    if info.compress_type not in _METHODS:
        raise EntryError("is packed in a way that is not read here", "make the zip again in the usual way")
    if name.count("/") >= limits.depth:
        raise EntryError(f"lies more than {limits.depth} folders deep")
    if info.file_size > MEGABYTE and info.file_size > limits.ratio * max(info.compress_size, 1):
        raise EntryError(
            f"would unpack from {size_text(info.compress_size)} to {size_text(info.file_size)}, "
            f"more than {limits.ratio} times its size, and was not unpacked"
        )


def _name(info: zipfile.ZipInfo) -> str:
    """Return an entry's name. Many zip tools write UTF-8 without saying so; zipfile takes it for cp437."""
    if info.flag_bits & _UTF8_NAME or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _occurrences(file: IO[bytes], mark: bytes) -> int:
    count, tail = 0, b""
    while chunk := file.read(MEGABYTE):
        window = tail + chunk
        count += window.count(mark)
        tail = window[-(len(mark) - 1) :]
    return count
