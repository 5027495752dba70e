"""Fill a new portal with a class that was graded again, each with three points more, and accept it.

python -m tests.portal.accepted DATA FOLDER STUDENTS    FOLDER is the assignment's
python -m tests.portal.accepted DATA                    does what is to be done, one student at a time
"""

from __future__ import annotations

import sys
from pathlib import Path

from attest.serve import ready_django


def main() -> int:
    """Do what is asked."""
    ready_django(Path(sys.argv[1]))
    if sys.argv[2:]:
        _fill(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        _do()
    return 0


def _fill(folder: Path, students: int) -> None:
    from attest.portal.courses.models import Membership, Role
    from attest.portal.handing_in.models import Submission
    from attest.portal.handing_in.taking import take
    from attest.portal.regrading.accepting import accept
    from attest.portal.regrading.regrades import Asked, Which, begin
    from attest.portal.serving import prepare
    from graders.assignment import find_assignment
    from tests.portal.school import keep_result, make_person, make_school

    prepare()
    school = make_school(folder)
    keep_result(school.submission, (0, 0))
    for number in range(students - 1):
        person = make_person(f"s{number}")
        Membership.objects.create(course=school.course, person=person, role=Role.STUDENT)
        keep_result(take(school.assignment, person, [("double.py", f"x = {number}\n".encode())]), (0, 0))
    asked = Asked(Which.ALL, "A check was mended.")
    regrade = begin(school.assignment, find_assignment(folder), asked, school.instructor)
    for submission in Submission.objects.all():
        keep_result(submission, (0, 3))
    assert accept(regrade, school.instructor) == students


def _do() -> None:
    from attest.portal.errands.models import Errand
    from attest.portal.errands.process import do_all
    from attest.portal.regrading import accepting

    accepting.AT_ONCE = 1
    do_all({Errand.Kind.ACCEPTANCE: accepting.bring_into_force})


if __name__ == "__main__":
    sys.exit(main())
