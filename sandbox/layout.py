"""Run while the docker image is built: copies what a guest may see, and nothing else, into a folder.

The copy has the places of view.py, so a container shows what bubblewrap shows. The standard library is
compiled here: nothing can be written where it is used.
"""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import sys
from pathlib import Path

_NOT_COPIED = shutil.ignore_patterns("site-packages", "dist-packages", "test", "config-*")


def lay_out(root: Path) -> None:
    """Make `root` the root folder of the image, but for the package `inside`."""
    from .view import GUEST, PYTHON, guest_view

    seen = guest_view()
    for target, place in seen.links:
        (root / place.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (root / place.lstrip("/")).symlink_to(target)
    for source, place in seen.binds:
        if place.startswith(GUEST):
            continue
        copy = root / place.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, copy, symlinks=True, ignore=_NOT_COPIED if place in seen.path else None)
        else:
            shutil.copy2(source, copy)
    for folder in (*seen.folders, "/tmp", "/proc", "/sys", "/dev", "/attest"):  # noqa: S108  of the image
        (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    (root / PYTHON.lstrip("/") / "bin" / "python").symlink_to(os.path.basename(seen.interpreter))
    compileall.compile_dir(
        root / PYTHON.lstrip("/"),
        stripdir=str(root),
        quiet=2,
        workers=0,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
