"""What each LMS gives an instructor to download, built name by name."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

PROGRAM = b"def attention(q, k, v):\n    return v\n"
LONG = "x" * 4_000
HEBREW = "\u05e0\u05d5\u05e2\u05d4 \u05dc\u05d5\u05d9"
UMLAUT = "Ju\u0308rgen Mu\u0308ller"  # in NFD, as macOS writes it


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def save(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write a zip of these files where the path ends so, and a folder elsewhere."""
    if path.suffix == ".zip":
        path.write_bytes(packed(files))
        return path
    for name, data in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path


CANVAS = {
    "doejane_4711_90210_attention.py": PROGRAM,
    "doejane_4711_90211_notes_1_2.txt": b"note",
    "doejane_LATE_4712_90212_attention-1.py": PROGRAM,  # another Jane Doe
    "o_neill_smith_4713_90213_my_3_4_work.py": PROGRAM,
    "m\u00fcllerju\u0308rgen_4714_90214_attention.py": PROGRAM,
    "\u05dc\u05d5\u05d9\u05e0\u05d5\u05e2\u05d4_4715_text.html": (
        b"<p>Scores are scaled&nbsp;by <b>\xe2\x88\x9ad</b>.</p>"
    ),
    "lee_4716_90216_hw.zip": packed({"hw/attention.py": PROGRAM, "hw/masks.py": b"x = 1"}),
}
CANVAS_ANONYMOUS = {
    "anon_x7Qk2_90210_attention.py": PROGRAM,
    "LATE_anon_aB3dE_90211_attention.py": PROGRAM,
    "anon_Zz9yX_text.html": b"<p>words</p>",
}


def moodle(separator: str = "/") -> dict[str, bytes]:
    """Return Moodle's files; `separator` is "/" since 4.1, "_/" before, and "_" where not in folders."""
    return {
        f"{name}_{participant}_assignsubmission_{plugin}{separator}{file}": data
        for name, participant, plugin, file, data in (
            ("Jane Doe", 23, "file", "attention.py", PROGRAM),
            ("Jane Doe", 23, "onlinetext", "onlinetext.html", b"<p>My answer</p>"),
            ("Jane Doe", 24, "file", "attention.py", b"x = 1\n"),
            ('O\'Neill, "Max"'.replace('"', ""), 25, "file", "attention.py", PROGRAM),
            (UMLAUT, 26, "file", "attention.py", PROGRAM),
            (HEBREW, 27, "file", "attention.py", PROGRAM),
            ("Group A-Kim Lee", 28, "file", "attention.py", PROGRAM),
        )
    }


def blackboard_text(name: str, user: str, time: str, files: Mapping[str, str]) -> bytes:
    """Return Blackboard's text about one attempt."""
    listed = "".join(f"\tOriginal filename: {k}\n\tFilename: {v}\n" for k, v in files.items())
    return (
        f"Name: {name} ({user})\nAssignment: HW 1\nDate Submitted: {time}\nCurrent Grade: Needs Grading\n\n"
        "Submission Field:\nThere is no student submission text data for this assignment.\n\n"
        f"Comments:\nThere are no student comments for this assignment.\n\nFiles:\n{listed}"
    ).encode()


def blackboard(assignment: str = "HW 1", word: str = "attempt") -> dict[str, bytes]:
    """Return Blackboard's files: jdoe with two attempts, and j_doe with an underscore."""
    files: dict[str, bytes] = {}
    for name, user, time in (
        ("Jane Doe", "jdoe", "2026-11-29-10-00-00"),
        ("Jane Doe", "jdoe", "2026-11-30-23-59-59"),
        ("M\u00fcller, J\u00f6rg", "j_mueller", "2026-11-30-12-00-00"),
    ):
        stem = f"{assignment}_{user}_{word}_{time}"
        files[f"{stem}.txt"] = blackboard_text(name, user, "Monday", {"attention.py": f"{stem}_attention.py"})
        files[f"{stem}_attention.py"] = PROGRAM
    return files


GRADESCOPE_LIST = f"""---
submission_1001:
  :submitters:
  - :name: "Doe, Jane \\"JD\\""
    :sid: '1001'
    :email: jane@example.edu
  :created_at: 2026-11-30 22:58:14.123456000 Z
  :score: 3.0
  :results:
    :output: |-
      submission_9999:
        :submitters:
        - :name: Mallory
  :history:
  - :id: 7
    :created_at: 2026-11-01 00:00:00.000000000 Z
submission_1002:
  :submitters:
  - :name: {HEBREW}
    :sid:
    :email: noa@example.edu
  - :name: 'O''Neill'
    :sid: '1003'
    :email: max@example.edu
  :created_at: &1 !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-12-01 01:00:00.000000000 Z
    zone: x
submission_1004:
  :submitters:
  - :name: '{"long name " * 30}
      {"that goes on " * 20}'
    :sid: '1004'
""".encode()
GRADESCOPE = {
    "assignment_5_export/submission_metadata.yml": GRADESCOPE_LIST,
    "assignment_5_export/submission_1001/attention.py": PROGRAM,
    "assignment_5_export/submission_1001/data/t.csv": b"1",
    "assignment_5_export/submission_1002/attention.py": PROGRAM,
    "assignment_5_export/submission_1004/attention.py": PROGRAM,
}
NBGRADER = {
    "submitted/jdoe/ps1/attention.ipynb": b'{"nbformat": 4, "cells": []}',
    "submitted/jdoe/ps1/timestamp.txt": b"2026-11-30 10:58:14.123456 UTC",
    "submitted/lee/ps1/attention.py": PROGRAM,
    "submitted/lee/ps1/timestamp.txt": b"2026-11-30 10:58:14.000000 America/New_York\n",
}
INBOUND = {
    "inbound/jdoe+ps1+2026-11-29 10:58:14.123456 UTC/attention.py": b"x = 1\n",
    "inbound/jdoe+ps1+2026-11-30 10:58:14.123456 UTC+wF7a/attention.py": PROGRAM,
    "inbound/j_doe+ps1+2026-11-30 10:58:14.123456 UTC+Zz9/attention.py": PROGRAM,
}
