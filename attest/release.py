"""`attest release`: the folder that students get."""

from __future__ import annotations

from pathlib import Path

from attest.handout import handed_out, to_hand_out
from attest.terminal import ALL_WELL, console, sentences, shown_path
from graders.assignment import AssignmentError
from reports.amounts import count_text


def release_command(name: str, out: Path) -> int:
    """Write the handout of an assignment to `out`; return the exit status."""
    with sentences(AssignmentError):
        assignment = to_hand_out(name)
        files = handed_out(assignment)
        write_files(files, out)
    console().print(
        f"{shown_path(out)}/ holds {count_text(len(files), 'file')} for students of “{assignment.title}”.",
        soft_wrap=True,
    )
    return ALL_WELL


def write_files(files: dict[str, bytes], out: Path) -> None:
    """Write `files` into a folder that holds nothing yet. Raises AssignmentError."""
    try:
        if out.is_dir() and any(out.iterdir()):
            raise AssignmentError(
                f"{out}: is not empty, and what lies there could be taken for part of the handout. "
                "Name a new folder, or empty this one."
            )
        for name, data in files.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise AssignmentError(
            f"{error.filename or out}: cannot be written ({error.strerror}). Choose another folder."
        ) from error
