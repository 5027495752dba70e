"""`attest release`: the folder that students get."""

from __future__ import annotations

from pathlib import Path

from attest.handout import handout_files, leaks
from attest.terminal import ALL_WELL, console, sentences, shown_path
from graders.assignment import AssignmentError, find_assignment
from reports.amounts import count_text


def release_command(name: str, out: Path) -> int:
    """Write the handout of an assignment to `out`; return the exit status."""
    with sentences(AssignmentError):
        assignment = find_assignment(name)
        if any(exercise.released for exercise in assignment.exercises):
            raise AssignmentError(f"{assignment.folder}: is part of a handout already; name the assignment.")
        files = handout_files(assignment)
        found = leaks(assignment, files)
        if found:
            more = f" And {len(found) - 3} more." if len(found) > 3 else ""
            raise AssignmentError(f"nothing was written: {' '.join(found[:3])}{more}")
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
