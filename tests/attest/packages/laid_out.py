"""A package laid out as the other autograder does it, below any folder, with a submission in it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CREATED = datetime(2026, 11, 30, 20, tzinfo=UTC)


def unpack(package: Path, folder: Path) -> None:
    """Unpack a zip with the modes that its entries have."""
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
        for entry in archive.infolist():
            (folder / entry.filename).chmod(entry.external_attr >> 16 & 0o777)


def submit(folder: Path, files: Mapping[str, str]) -> None:
    """Put a student's files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def metadata(
    *earlier: Mapping[str, Any], late: timedelta = timedelta(hours=-1), **changes: Any
) -> dict[str, Any]:
    """Return a submission_metadata.json: handed in at CREATED, `late` after it was due."""
    due = (CREATED - late).isoformat()
    return {
        "id": 123456,
        "created_at": CREATED.isoformat(),
        "assignment": {
            "due_date": due,
            "late_due_date": None,
            "release_date": "2026-11-01T00:00:00.000000-07:00",
            "group_size": None,
            "group_submission": False,
            "id": 25828,
            "course_id": 1234,
            "title": "Doubling",
            "total_points": "5.0",
        },
        "submission_method": "upload",
        "users": [{"email": "lena@example.edu", "id": 1234, "name": "Lena"}],
        "previous_submissions": [
            {
                "submission_time": (CREATED - timedelta(hours=len(earlier) - number)).isoformat(),
                "score": results.get("score"),
                "results": dict(results),
            }
            for number, results in enumerate(earlier)
        ],
    } | changes


def write_metadata(root: Path, document: Any) -> None:
    """Write what Gradescope says of a submission."""
    (root / "submission_metadata.json").write_text(json.dumps(document))
