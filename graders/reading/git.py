"""What is committed in a student's git repository, read out of its objects by the system's git.

Nothing of the repository is obeyed: its configuration, hooks, attributes and filters are never read, since
git runs in a folder of our own and is only lent the repository's objects. Nothing is fetched or written,
links are refused, and memory and time are bounded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graders.reading.entries import Entry, EntryError, Listing, Problem
from graders.reading.folder import refused_by_system
from graders.reading.names import is_hidden, relative_name, shown
from graders.reading.submission import ReadingLimits

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"ref: (refs/[A-Za-z0-9._/@+#=,-]{1,200})")
_SECONDS = 30
_MEMORY_KIB = 4 * 2**20
_SMALL = 4096
_PACKED_REFS = 4 * 2**20
_MOST_SMALL = 1_000  # as many files as are read of any submission
_SMALL_IN_ALL = 32 * 2**20
_BLOB = re.compile(rb"([0-9a-f]{40,64}) blob (\d+)\n")
_LINE = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-|BAD)\t(.*)", re.DOTALL)


def git_folder(path: Path) -> Path | None:
    """Return where the repository of a clone lies, or of a bare one; None where `path` is neither."""
    inner = path / ".git"
    if inner.is_dir() and not inner.is_symlink():
        return inner
    bare = all((path / name).is_dir() for name in ("objects", "refs")) and (path / "HEAD").is_file()
    return path if bare else None


def list_commit(path: Path, limits: ReadingLimits) -> Listing:
    """List the files of HEAD's commit. Raises EntryError, which says what to do."""
    repository = git_folder(path)
    if repository is None:
        raise EntryError("is no git repository", "give its working tree by --from folder")
    if shutil.which("git") is None:
        raise EntryError(
            "is a git repository, and there is no git on this machine to read it",
            "install git, or read the working tree by --from folder",
        )
    objects = _objects(repository)
    commit = _head(repository)
    blobs = _Blobs(objects)
    entries: list[Entry] = []
    problems: list[Problem] = []
    for count, record in enumerate(_tree(objects, commit)):
        if count >= limits.entries:
            problems.append(Problem(path.name, f"holds more than {limits.entries:,} files"))
            break
        found = _LINE.fullmatch(record)
        if not found:
            raise EntryError("holds a commit that git cannot list", "clone it again")
        raw = found[5].decode("utf-8", "replace")
        name = relative_name(raw)
        if name is None:
            problems.append(Problem(raw, "has a name that points outside the repository"))
        elif is_hidden(name):
            continue
        elif found[1] not in (b"100644", b"100755"):
            why = "is a symbolic link, which is never followed" if found[1] == b"120000" else "is a submodule"
            problems.append(Problem(name, why))
        elif not found[4].isdigit():
            problems.append(Problem(name, "is missing from the repository's objects", "clone it again"))
        elif name.count("/") >= limits.depth:
            problems.append(Problem(name, f"lies more than {limits.depth} folders deep"))
        else:
            entries.append(blobs.entry(found[3].decode(), name, int(found[4]), raw))
    return Listing(tuple(entries), tuple(problems))


class _Blobs:
    """The contents of one repository's files: the small ones are read together, a large one by itself."""

    def __init__(self, objects: Path) -> None:
        self._objects = objects
        self._small: list[str] = []
        self._left = _SMALL_IN_ALL
        self._read: dict[str, bytes] | None = None

    def entry(self, blob: str, name: str, size: int, raw: str) -> Entry:
        """Return the entry of a file with these contents."""
        if size <= self._left and len(self._small) < _MOST_SMALL:
            self._small.append(blob)
            self._left -= size
        return Entry(name, size, lambda limit: self._contents(blob, limit), raw)

    def _contents(self, blob: str, limit: int) -> bytes:
        if self._read is None:
            self._read = dict(self._together())
        if blob in self._read:
            return self._read[blob][:limit]
        data = b""
        for chunk in _output(self._objects, blob, "cat-file", "blob", blob):
            data += chunk
            if len(data) >= limit:
                break
        return data[:limit]

    def _together(self) -> Iterator[tuple[str, bytes]]:
        wanted = "".join(f"{blob}\n" for blob in self._small).encode()
        output = b"".join(_output(self._objects, self._small[0], "cat-file", "--batch", asks=wanted))
        at = 0
        while header := _BLOB.match(output, at):
            end = header.end() + int(header[2])
            yield header[1].decode(), output[header.end() : end]
            at = end + 1


def _objects(repository: Path) -> Path:
    """Return the folder of objects, once it is sure that it leads nowhere else. Raises EntryError."""
    objects = repository / "objects"
    elsewhere = ("borrows its objects from elsewhere", "clone it anew, without --shared or --reference")
    try:
        for folder in (objects, objects / "pack", objects / "info"):
            if folder.is_symlink():
                raise EntryError(*elsewhere)
            with suppress(FileNotFoundError), os.scandir(folder) as found:
                for item in found:
                    if item.is_symlink() or item.name in ("alternates", "http-alternates"):
                        raise EntryError(*elsewhere)
    except OSError as error:
        raise refused_by_system(error) from None
    return objects.absolute()


def _head(repository: Path) -> str:
    """Return the hash of HEAD's commit. Raises EntryError."""
    head = _text(repository / "HEAD", _SMALL).strip()
    if _HASH.fullmatch(head):
        return head
    branch = _BRANCH.fullmatch(head)
    if branch is None or ".." in branch[1]:
        raise EntryError(f"has a HEAD that is not read here ({shown(head)})", "read it by --from folder")
    if branch[1] == "refs/heads/.invalid":
        raise EntryError("keeps its branches in a format that is not read here", "read it by --from folder")
    parts = [repository.joinpath(*branch[1].split("/")[:end]) for end in range(1, branch[1].count("/") + 2)]
    if any(part.is_symlink() for part in parts):
        raise EntryError("has a branch that is a symbolic link", "clone it again")
    with suppress(FileNotFoundError):
        found = _text(parts[-1], _SMALL).strip()
        if _HASH.fullmatch(found):
            return found
    with suppress(FileNotFoundError):
        for line in _text(repository / "packed-refs", _PACKED_REFS).splitlines():
            commit, _, name = line.partition(" ")
            if name == branch[1] and _HASH.fullmatch(commit):
                return commit
    raise EntryError("has no commit yet", "commit what is to be graded, or read it by --from folder")


def _text(path: Path, limit: int) -> str:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise refused_by_system(error) from None


def _tree(objects: Path, commit: str) -> Iterator[bytes]:
    left = b""
    for chunk in _output(objects, commit, "ls-tree", "-r", "-l", "-z", "--full-tree", commit):
        *records, left = (left + chunk).split(b"\0")
        yield from records
        if len(left) > 2**20:
            raise EntryError("holds a name that no file can have", "clone it again")


def _output(objects: Path, known: str, *arguments: str, asks: bytes = b"") -> Iterator[bytes]:
    """Give git `asks` and yield what it prints; closing the iterator ends it. Raises EntryError."""
    with _own_repository(known) as own:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_DIR": str(own),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
            "HOME": str(own),
            "LC_ALL": "C",
        }
        limited = f'ulimit -v {_MEMORY_KIB} -t {_SECONDS}; exec git "$@"'
        (own / "asks").write_bytes(asks)
        with (
            (own / "asks").open("rb") as given,
            subprocess.Popen(  # noqa: S603 - fixed words and a checked hash
                ["/bin/sh", "-c", limited, "git", *arguments],
                cwd=own,
                env=environment,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as git,
        ):
            assert git.stdout is not None
            try:
                while chunk := git.stdout.read(2**16):
                    yield chunk
                if git.wait(_SECONDS):
                    raise EntryError(
                        "cannot be read by git: objects are missing or damaged", "clone it again"
                    )
            except subprocess.TimeoutExpired:
                raise EntryError("takes git too long to read", "clone it again") from None
            finally:
                git.kill()


@contextmanager
def _own_repository(known: str) -> Iterator[Path]:
    """Make a repository without objects, whose configuration is ours."""
    with tempfile.TemporaryDirectory(prefix="attest-git-") as name:
        own = Path(name)
        for folder in ("refs", "objects"):
            (own / folder).mkdir()
        (own / "HEAD").write_text("ref: refs/heads/none\n")
        kind = "[extensions]\n\tobjectFormat = sha256\n" if len(known) == 64 else ""
        (own / "config").write_text(f"[core]\n\trepositoryformatversion = 1\n\tbare = true\n{kind}")
        yield own
