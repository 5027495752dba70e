"""Files of a folder, listed without following or opening anything but regular files.

Symbolic links, FIFOs, sockets and devices are named and left alone; the walk is bounded in depth and number.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from graders.reading.entries import Entry, EntryError, Listing, Problem
from graders.reading.names import is_hidden, relative_name, shown
from graders.reading.submission import ReadingLimits

_ONLY_YOURS = "hand in only what you wrote"
_KINDS = {
    stat.S_IFLNK: "is a symbolic link, which is never followed",
    stat.S_IFIFO: "is a named pipe, not a file",
    stat.S_IFSOCK: "is a socket, not a file",
    stat.S_IFCHR: "is a device, not a file",
    stat.S_IFBLK: "is a device, not a file",
}


def not_a_file(mode: int) -> str | None:
    """Say what a file mode stands for where it is neither file nor folder: "is a named pipe, not a file"."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return _KINDS.get(stat.S_IFMT(mode), "is neither a file nor a folder")


def refused_by_system(error: OSError | ValueError) -> EntryError:
    """Say why the system refused a path."""
    if isinstance(error, PermissionError):
        return EntryError("may not be read by this user", "permit it (chmod u+rX) and try again")
    if isinstance(error, FileNotFoundError):
        return EntryError("does not exist", "check the path")
    if isinstance(error, OSError) and error.strerror:
        return EntryError(f"cannot be read ({shown(error.strerror)})", "check the path and the disk")
    return EntryError("has a name that no file can have", "check the path")


def shown_name(path: Path) -> str:
    """Return the last part of a path as text that can be stored and shown, whatever its bytes are."""
    return os.fsencode(os.path.basename(os.path.abspath(path)) or "/").decode("utf-8", "replace")


def file_entry(path: Path, name: str, size: int, raw: str = "") -> Entry:
    """Return the entry of a regular file."""
    return Entry(name, size, lambda limit: _read(path, limit), raw)


def _read(path: Path, limit: int) -> bytes:
    """Read at most `limit` bytes of a regular file and wait for nothing: the path may have changed."""
    flags = os.O_RDONLY
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # where the system has them
        flags |= getattr(os, flag, 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            found = not_a_file(os.fstat(file.fileno()).st_mode)
            if found:
                raise EntryError(found)
            return file.read(limit)
    except EntryError:
        raise
    except (OSError, ValueError) as error:
        raise refused_by_system(error) from None


def list_folder(root: Path, limits: ReadingLimits) -> Listing:
    """List the regular files below `root`; hidden folders and virtual environments are not entered."""
    walk = _Walk(root, limits, [(root, "", 0)])
    left = limits.entries
    while walk.waiting:
        folder, prefix, depth = walk.waiting.pop()
        label = prefix.rstrip("/") or shown_name(root)
        try:
            with os.scandir(folder) as found:
                for item in found:
                    left -= 1
                    if left < 0:
                        walk.waiting.clear()
                        raise EntryError(f"holds more than {limits.entries:,} files", _ONLY_YOURS)
                    walk.look_at(item, prefix, depth)
        except EntryError as error:
            walk.problems.append(error.of(label))
        except OSError as error:
            walk.problems.append(refused_by_system(error).of(label))
    return Listing(tuple(sorted(walk.entries, key=lambda entry: entry.name)), tuple(walk.problems))


@dataclass
class _Walk:
    """A walk under way: what was found, and the folders (path, names' prefix, depth) yet to enter."""

    root: Path
    limits: ReadingLimits
    waiting: list[tuple[Path, str, int]]
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def look_at(self, item: os.DirEntry[str], prefix: str, depth: int) -> None:
        """Put one thing found in a folder where it belongs."""
        raw = os.fsencode(item.name).decode("utf-8", "replace")
        name = relative_name(prefix + raw)
        if name is None:
            self.problems.append(Problem(raw, "has a name that points outside the folder"))
            return
        if is_hidden(name):
            return
        status = item.stat(follow_symlinks=False)
        why = not_a_file(status.st_mode)
        if why:
            self.problems.append(Problem(name, why))
        elif not stat.S_ISDIR(status.st_mode):
            path = Path(item.path)
            raw = os.path.relpath(path, self.root)
            self.entries.append(file_entry(path, name, status.st_size, raw))
        elif depth + 1 >= self.limits.depth:
            self.problems.append(Problem(name, f"lies more than {self.limits.depth} folders deep"))
        elif not os.path.lexists(os.path.join(item.path, "pyvenv.cfg")):
            self.waiting.append((Path(item.path), f"{name}/", depth + 1))
