"""`attest export`: an assignment as a package that another autograder takes."""

from __future__ import annotations

import html
import json
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attest.handout import handed_out, to_hand_out
from attest.installed import CHECKS, IN_REPOSITORY
from attest.packages import at_prairielearn
from attest.packages.contents import (
    PLAIN,
    PROGRAM,
    Files,
    Sources,
    below,
    graded_there,
    installing,
    own,
)
from attest.packages.gradescope_metadata import policy_of
from attest.packages.gradescope_results import not_graded
from attest.packages.manifest import Package
from attest.packages.prairielearn_results import not_gradable
from attest.packages.wheel import zipped
from attest.terminal import ALL_WELL, console, sentences, shown_path
from graders.assignment import Assignment, AssignmentError
from graders.late import LateError, read_due
from graders.writing_whole import write_whole
from reports.amounts import bytes_text, points_text
from reports.authors_markup import handout_html

NEVER_STARTED = "Attest could not be started. What setup.sh printed is shown under Configure Autograder."
WORKFLOW = ".github/workflows/classroom.yml"
_OF_THE_HANDOUT = f"`{CHECKS}/`".encode()  # in its README
_OF_THE_REPOSITORY = f"`{IN_REPOSITORY}/{CHECKS}/`".encode()


@dataclass(frozen=True)
class ExportRequest:
    """What was asked on the command line."""

    assignment: str
    out: Path
    sources: Sources
    force: bool = False
    attempts: int | None = None  # Gradescope: how many are graded
    late: str | None = None  # Gradescope: what coming late costs, in place of the assignment's own policy
    minutes: int = 10  # Gradescope: after how many it gives up
    notebooks: bool = False  # GitHub Classroom: what students begin with
    image: str = ""  # PrairieLearn: what the grader's image is called


def export_command(to: str, request: ExportRequest) -> int:
    """Write the package; return the exit status."""
    made = {"gradescope": gradescope, "prairielearn": prairielearn, "github-classroom": github_classroom}
    with sentences(AssignmentError, LateError):
        if request.out.exists() and not request.force:
            raise AssignmentError(
                f"{shown_path(request.out)}: is there already. Replace it by --force, or choose another file "
                "with -o."
            )
        assignment = to_hand_out(request.assignment)
        data = zipped(made[to](assignment, request))
        try:
            request.out.parent.mkdir(parents=True, exist_ok=True)
            write_whole(request.out, data)
        except OSError as error:
            raise AssignmentError(
                f"{shown_path(request.out)}: cannot be written ({error.strerror}). Choose another with -o."
            ) from error
    tell(to, assignment, request, len(data))
    return ALL_WELL


def tell(to: str, assignment: Assignment, request: ExportRequest, size: int) -> None:
    """Say what was written, and what is still to be known of it."""
    screen = console()
    screen.print(
        f"{shown_path(request.out)} ({bytes_text(size)}) holds “{assignment.title}”.", soft_wrap=True
    )
    if to != "github-classroom":  # there are the public checks alone, whose points are feedback
        waits = sum(item.points for exercise in assignment.exercises for item in exercise.rubric)
        more = f"; people give {points_text(waits)} more there" if waits else ""
        screen.print(
            f"Its checks give {points_text(assignment.points - waits)} points{more}.", soft_wrap=True
        )
    if request.sources == Sources():
        screen.print(
            "PyTorch comes with its libraries for GPUs, about 3 GB: with --torch-index it is the build for "
            "the CPU, whose index PyTorch's installation page names.",
            soft_wrap=True,
        )


def gradescope(assignment: Assignment, request: ExportRequest) -> Files:
    """Return the zip that Gradescope takes as an autograder. Raises AssignmentError and LateError."""
    policy_of(None, request.late, read_due("2000-01-01 UTC"))  # said here, not at each submission
    package = Package(assignment="", attempts=request.attempts, late=request.late, minutes=request.minutes)
    run = own("gradescope_run.sh").replace("NOT_GRADED", json.dumps(not_graded(NEVER_STARTED)))
    return {
        "setup.sh": (own("gradescope_setup.sh").encode(), PROGRAM),
        "run_autograder": (run.encode(), PROGRAM),
        **installing(request.sources, reference=True),
        **graded_there(assignment, package),
    }


def prairielearn(assignment: Assignment, request: ExportRequest) -> Files:
    """Return the folder of a question, and that of the image it is graded in. Raises AssignmentError."""
    if not any(exercise.names or exercise.record for exercise in assignment.exercises):
        raise AssignmentError(
            f"{assignment.folder}: asks for words alone, which people judge. Make it a manually graded "
            "question."
        )
    grade = own("prairielearn_grade.sh").replace("NOT_GRADED", json.dumps(not_gradable()))
    slim = f"{sys.version_info.major}.{sys.version_info.minor}-slim"
    grader: Files = {
        "Dockerfile": (own("prairielearn.Dockerfile").replace("SLIM", slim).encode(), PLAIN),
        "grade.sh": (grade.encode(), PROGRAM),
        **installing(request.sources, reference=True),
    }
    handout = handed_out(assignment)
    starters = {
        name: (data, PLAIN)
        for name, data in handout.items()
        if "/" not in name and not name.endswith(".md") and _is_asked(name, assignment)
    }
    question: Files = {
        "info.json": (json.dumps(_info(assignment, request.image), indent=1).encode(), PLAIN),
        "question.html": (_question(assignment, handout, sorted(starters)).encode(), PLAIN),
        **below("clientFilesQuestion", starters),
        **below("tests", graded_there(assignment)),
    }
    return {**below("grader", grader), **below(f"questions/{assignment.id}", question)}


def github_classroom(assignment: Assignment, request: ExportRequest) -> Files:
    """Return a template repository: the handout, and the public checks' workflow. Raises AssignmentError."""
    found: Files = {}
    # One form alone: in a repository the other would lie there untouched, and could be taken for the answer.
    for name, data in handed_out(assignment, "notebooks" if request.notebooks else "scripts").items():
        place = f"{IN_REPOSITORY}/{name}" if name.startswith(f"{CHECKS}/") else name
        moved = data.replace(_OF_THE_HANDOUT, _OF_THE_REPOSITORY) if name.endswith(".md") else data
        found[place] = (moved, PLAIN)
    return {
        **found,
        WORKFLOW: (own("classroom.yml").encode(), PLAIN),
        **below(IN_REPOSITORY, installing(request.sources, reference=False)),
    }


def _is_asked(name: str, assignment: Assignment) -> bool:
    return name in assignment.files or name == f"{assignment.id}.ipynb"


def _info(assignment: Assignment, image: str) -> dict[str, Any]:
    """Return info.json; the uuid is the same in every export, so that a question stays the same one."""
    return {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"attest:{assignment.id}")),
        "title": assignment.title,
        "topic": "Attention",
        "tags": ["code"],
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/attest/grade.sh",
            "timeout": at_prairielearn.TIMEOUT_SECONDS,
            "enableNetworking": False,
        },
    }


def _question(assignment: Assignment, handout: dict[str, bytes], starters: list[str]) -> str:
    texts = [
        str(handout_html(data.decode("utf-8", "replace"), top=2))
        for name, data in sorted(handout.items(), key=lambda item: item[0] != "README.md")
        if name.endswith("handout.md") or (name == "README.md" and len(assignment.exercises) > 1)
    ]
    downloads = [
        f'<p>Start from <pl-file-download file-name="{html.escape(name)}"></pl-file-download></p>'
        for name in starters
    ]
    return "\n".join(
        [
            "<pl-question-panel>",
            *(text.replace("{{", "&#123;&#123;") for text in texts),  # which PrairieLearn would fill in
            *downloads,
            "</pl-question-panel>",
            _upload(assignment),
            "<pl-submission-panel>",
            "<pl-external-grader-results></pl-external-grader-results>",
            "<pl-file-preview></pl-file-preview>",
            "</pl-submission-panel>",
            "",
        ]
    )


def _upload(assignment: Assignment) -> str:
    """Return the element that takes the files; one alone must be there, of several any may."""
    wanted = [*assignment.files]
    if len(assignment.exercises) > 1:
        wanted.append(f"{assignment.id}.ipynb")
    names = ", ".join(name.replace(",", "\\,") for name in dict.fromkeys(wanted))
    kind = "file-names" if len(set(wanted)) == 1 else "optional-file-names"
    return f'<pl-file-upload {kind}="{html.escape(names)}"></pl-file-upload>'
