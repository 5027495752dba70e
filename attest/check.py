"""`attest check`: a student's own work against the public checks, in plain words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attest.confinement import options_of, warn_of_no_isolation
from attest.entry import Confined
from attest.installed import choose_assignment, defined_names, handed_out, installed_assignments
from attest.seeds import new_seed
from attest.student_text import student_text
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, sentences, shown_path, stop
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.limits import limits_of
from graders.reading import Submission, UnreadableSubmission, read_submission
from graders.result import Result, Status, Student, Verdict
from reports.amounts import points_noun
from reports.student_view import student_view
from sandbox import Sandbox, SandboxBroken

if TYPE_CHECKING:
    from rich.console import Console


def check_command(path: Path, name: str | None, asked: Confined) -> int:
    """Run the public checks on `path` and print what they say; return the exit status."""
    screen, errors = console(), console(stderr=True)
    with sentences(AssignmentError, UnreadableSubmission, SandboxBroken):
        submission = read_submission(path, words="any")
        assignment = chosen(path, submission, name)
        if not submission.programs and assignment.words == "none":
            submission = read_submission(path, assignment.files)  # which says that there is no code
        screen.print(
            f"{shown_path(name_of(path))}: the public checks of “{assignment.title}”.", soft_wrap=True
        )
        warn_of_no_isolation(asked.backend, True, errors)
        with errors.status("Running your code in the sandbox …"):
            result = public_result(assignment, path, submission, asked)
    return show(result, assignment, screen)


def chosen(path: Path, submission: Submission, name: str | None) -> Assignment:
    """Return the assignment called `name`, or the one that the submission's names fit best.

    Of the handout that the file lies in, or else of all that come with Attest.
    """
    if name is not None:
        return find_assignment(name)
    try:
        known = handed_out(path) or installed_assignments()
        if not submission.programs:
            return of_words(known)
        names, files = defined_names(submission.programs), [one.path for one in submission.programs]
        return choose_assignment(names, known, files)[1]
    except AssignmentError as error:
        raise AssignmentError(f"{shown_path(path)}: {error}") from None


def of_words(known: Mapping[str, Assignment]) -> Assignment:
    """Return the one assignment, or the one that holds all others, that a file without code may be for."""
    asking = [one for one in known.values() if one.words != "none"]
    most = max(asking, key=lambda one: len(one.exercises), default=None)
    if most is None or {e.id for one in asking for e in one.exercises} - {e.id for e in most.exercises}:
        raise AssignmentError("it holds no code that would tell which assignment it is for. Name it by -a.")
    return most


def public_result(assignment: Assignment, path: Path, submission: Submission, asked: Confined) -> Result:
    """Grade with the public checks alone."""
    options = options_of(asked, assignment, own=True)
    with Sandbox(asked.backend, limits_of(assignment), options=options) as sandbox:
        sandbox.launch()
        from graders.session import GradingSession

        session = GradingSession(assignment, sandbox, new_seed(), public_only=True)
        source = shown_path(name_of(path))
        return session.grade(Student(id=source), submission, source=source)


def name_of(path: Path) -> Path:
    """Return the last part of a path, of "." too."""
    return Path(Path(os.path.abspath(path)).name or "/")


def show(result: Result, assignment: Assignment, screen: Console) -> int:
    """Print the report; return the exit status."""
    if result.status is not Status.GRADED:
        stop(result.message, NOT_ALL_WELL)
    screen.print(student_text(student_view(result), screen.width), soft_wrap=True)
    elsewhere = assignment.points - result.max_points
    if elsewhere > 0:
        screen.print(
            f"When it is graded, further checks with fresh inputs decide about {points_noun(elsewhere)}.",
            soft_wrap=True,
        )
    return ALL_WELL if all(check.verdict is Verdict.PASSED for check in result.checks) else NOT_ALL_WELL
