"""Files that are written whole or not at all, and outlast the end of the machine's power.

Knows nothing of what is in them.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

UNFINISHED = ".attest-"  # how the name begins of what is being written, and of what a killed process leaves


def write_whole(path: Path, data: bytes, *, synced: bool = True) -> None:
    """Write `data` to `path`, whole or not at all, whatever happens to this process or the disk.

    When it returns, the file outlasts the end of the machine's power, with its name. `synced=False` does not
    wait for the disk: for what can be made again.
    """
    handle, temporary = tempfile.mkstemp(prefix=f"{UNFINISHED}{path.name[:80]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if synced:
        sync_names(path.parent)


def sync_names(folder: Path) -> None:
    """Wait until the disk has the names in a folder, where its file system can be asked for that."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(opened)
