"""Fill the running portal that the environment names: a course, graders with passwords, answers in words.

    python -m tests.portal.seeded FOLDER ANSWERS [alike]

prints the address of the assignment's marking. FOLDER is that of the assignment; the answers differ from each
other, or are alike.
"""

from __future__ import annotations

import sys
from pathlib import Path

import django

django.setup(set_prefix=False)

from tests.portal.prose import another_grader, classmates, write  # noqa: E402 - after Django
from tests.portal.school import PASSWORD, make_school  # noqa: E402

WORDS = "Adding `x` to itself doubles it,\n\n    x + x\n\nfor <every> element of tensor number {}."


def main() -> None:
    school = make_school(Path(sys.argv[1]))
    for person in (school.grader, school.instructor, school.student, another_grader(school)):
        person.set_password(PASSWORD)
        person.save()
    for number, person in enumerate(classmates(school, int(sys.argv[2]))):
        write(school, person, WORDS.format(0 if sys.argv[3:] else number))
    print(f"/assignments/{school.assignment.pk}/marking/")


if __name__ == "__main__":
    main()
