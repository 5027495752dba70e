"""Run inside PrairieLearn's container, by root: grade what lies in /grade, and write results.json.

The assignment is the question's folder `tests`, the student's files are in /grade/student. As in Gradescope,
the file is there from the first moment on, and says that nothing could be graded.

Run as `python -I -m attest.packages.at_prairielearn`.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from attest.packages.grading import Place, grade_one
from attest.packages.manifest import read_package
from attest.packages.prairielearn_results import not_gradable, prairielearn_results
from attest.packages.shown import for_instructor
from attest.packages.telling import say, write_results
from graders.reading import Found
from graders.result import Student

ROOT = Path("/grade")
TIMEOUT_SECONDS = 600  # the most that PrairieLearn gives
PATIENCE_SECONDS = 270.0  # twice that, for a second try, ends before


def main(root: Path = ROOT) -> int:
    """Grade, and write results.json whatever happens; return the exit status."""
    write_results(root, not_gradable())
    try:
        _, assignment = read_package(root / "tests")
        submission = Found(Student(id="student"), root / "student", "student")
        places = tuple(root / name for name in ("tests", "data", "student", "results", "serverFilesCourse"))
        result = grade_one(assignment, submission, Place(places, PATIENCE_SECONDS))
        say(for_instructor(result))
        found = prairielearn_results(result)
    except Exception:
        say(traceback.format_exc())
        found = not_gradable()
    write_results(root, found)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
