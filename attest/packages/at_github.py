"""Run in a GitHub workflow, by root: the public checks on a student's repository, for GitHub Classroom.

Writes the step output `result` and the job's summary. Whoever can push to the repository can read all that is
in it and change the workflow, so nothing hidden is here, and the points are those of the public checks alone.

Run as `python -I -m attest.packages.at_github REPOSITORY OUTPUT SUMMARY`.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from attest.installed import CHECKS, IN_REPOSITORY
from attest.packages.github_results import encoded, github_results, not_graded
from attest.packages.grading import by_strongest
from attest.packages.shown import for_instructor
from attest.packages.telling import say
from attest.seeds import new_seed
from attest.student_text import student_text
from graders.assignment import Assignment, read_assignment
from graders.limits import limits_of
from graders.result import Result, Status, Student
from reports import student_markdown
from reports.student_view import student_view
from sandbox import Sandbox, SandboxBroken

WIDTH = 100


def main(repository: Path, output: Path, summary: Path) -> int:
    """Check, and write the outputs whatever happens; return the exit status."""
    try:
        result = checked(read_assignment(repository / IN_REPOSITORY / CHECKS), repository)
        found, said, document = github_results(result), printed(result), student_markdown(result)
    except Exception:
        found, said, document = not_graded(), traceback.format_exc(), ""
    say(said)
    append(summary, document)
    append(output, f"result={encoded(found)}\n")
    return 0


def checked(assignment: Assignment, repository: Path) -> Result:
    """Return the Result of the public checks. Raises SandboxBroken and AssignmentError."""
    from graders.session import GradingSession

    def grade(backend: str) -> Result:
        with Sandbox(backend, limits_of(assignment)) as sandbox:
            sandbox.start()
            session = GradingSession(assignment, sandbox, new_seed(), public_only=True)
            return session.grade(Student(id="student"), repository, source="the repository")

    return by_strongest(grade, SandboxBroken)


def printed(result: Result) -> str:
    """Return what the step prints."""
    said = result.message
    if result.status is Status.GRADED:
        said = student_text(student_view(result), WIDTH).plain
    return f"{said}\n\n{for_instructor(result)}"


def append(path: Path, text: str) -> None:
    """Add to a file that GitHub reads after the step."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])))
