"""What was handed in, written into a folder as it came, for who reads it from there."""

from __future__ import annotations

from pathlib import Path

from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import Submission


def lay_out(store: Store, submission: Submission, folder: Path) -> Path:
    """Write a submission's files below `folder`; return the one file, or the folder of several.

    Raises Missing where the content of one is gone.
    """
    files = list(submission.files.all())
    for file in files:
        path = folder / "files" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.read(file.digest))
    return folder / "files" / files[0].name if len(files) == 1 else folder / "files"
