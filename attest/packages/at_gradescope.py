"""Run inside Gradescope's container, by root: grade what lies in /autograder, and write results.json.

The file is there from the first moment on, and says that there is no score; so whatever ends the grading from
outside, no number is taken for one. What is printed is seen by instructors alone.

Run as `python -I -m attest.packages.at_gradescope`.
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path
from typing import Any

from attest.packages.gradescope_metadata import (
    Earlier,
    Metadata,
    MetadataError,
    policy_of,
    read_metadata,
)
from attest.packages.gradescope_results import counts_as_attempt, gradescope_results, not_graded, refused
from attest.packages.grading import Place, grade_one
from attest.packages.manifest import Package, read_package
from attest.packages.shown import for_instructor
from attest.packages.telling import say, write_results
from graders.assignment import Assignment
from graders.deadline import wall_deadline
from graders.reading import Found
from graders.result import Received
from reports.amounts import count_text, points_text

ROOT = Path("/autograder")
LEFT_SECONDS = 45.0  # for ending and writing, of the time after which Gradescope gives up and counts zero
STOPPED = (
    "The grading was ended from outside before it was done: out of time, or out of memory. Give the "
    "autograder more of both (Settings, Autograder Timeout and Container Specifications), and rerun it."
)


def main(root: Path = ROOT) -> int:
    """Grade, and write results.json whatever happens; return the exit status."""
    started = time.monotonic()
    write_results(root, not_graded(STOPPED))
    try:
        found = results(root, started)
    except Exception as error:
        why = traceback.format_exc()
        say(why)
        found = not_graded(f"{error}\n\n{why}")
    write_results(root, found)
    return 0


def results(root: Path, started: float) -> dict[str, Any]:
    """Return results.json of the submission in `root`."""
    package, assignment = read_package(root / "source")
    seconds = package.minutes * 60 - LEFT_SECONDS
    with wall_deadline(seconds, lambda: OutOfTime(seconds)):
        return graded(root, package, assignment, started)


class OutOfTime(Exception):
    """The whole grading took too long; the message says what to do."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The grading took longer than {seconds:g} seconds. Give it more CPU and time in Gradescope, and "
            "export it again with as many minutes (--minutes)."
        )


def graded(root: Path, package: Package, assignment: Assignment, started: float) -> dict[str, Any]:
    """Return results.json, unless the submission is one too many to grade."""
    metadata = known(root)
    counted = [one for one in metadata.earlier if counts_as_attempt(one.results)]
    if package.attempts is not None and len(counted) >= package.attempts:
        return refused(used_up(package.attempts), kept(counted[-1]))
    say_points(assignment, metadata)
    late = metadata.late(policy_of(assignment.late, package.late, metadata.due))
    received = Received(lms="gradescope", submitted_at=metadata.created_at, attempt=len(counted) + 1)
    submission = Found(metadata.student, root / "submission", "submission", received=received, late=late)
    places = ("source", "results", "submission", "submission_metadata.json")
    patience = (package.minutes * 60 - LEFT_SECONDS) / 2  # for each of two tries
    result = grade_one(assignment, submission, Place(tuple(root / name for name in places), patience))
    say(for_instructor(result))
    return gradescope_results(result, time.monotonic() - started)


def known(root: Path) -> Metadata:
    """Return what Gradescope says of the submission; where that cannot be read, nobody loses by it."""
    try:
        return read_metadata(root / "submission_metadata.json")
    except MetadataError as error:
        say(f"{error}: neither lateness nor attempts are looked at.")
        return Metadata()


def used_up(most: int) -> str:
    """Say that no more attempts are graded."""
    return (
        f"This submission was not graded: only {count_text(most, 'attempt')} can be, and you have used "
        f"{'it' if most == 1 else 'them'}. What you see below is your last graded attempt, which counts."
    )


def kept(last: Earlier) -> dict[str, Any]:
    """Return the last graded attempt's results, or at least its score."""
    if last.results is not None:
        return last.results
    return {} if last.score is None else {"score": last.score}


def say_points(assignment: Assignment, metadata: Metadata) -> None:
    """Tell the instructor where Gradescope counts other points than the assignment."""
    total = metadata.total_points
    if total is not None and total != assignment.points:
        by_people = sum(item.points for exercise in assignment.exercises for item in exercise.rubric)
        say(
            f"Gradescope counts {points_text(total)} points and the assignment "
            f"{points_text(assignment.points)}: set Autograder Points to "
            f"{points_text(assignment.points - by_people)}"
            + (f", and add a manual question of {points_text(by_people)}." if by_people else ".")
        )


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
