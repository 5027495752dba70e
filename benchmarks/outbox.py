"""Scores of a class leave for an LMS in trouble while the portal is killed: who has what, and in order?

    python -m benchmarks.outbox --students 2000 --kills 2 --trouble 0.3
    python -m benchmarks.outbox --students 2000 --kills 2 --postgresql

A real `attest serve` and an LMS of our own over HTTP, which answers a part of all requests with 429 or 503,
at random; after some of the 503 it has kept the score all the same. All students are graded before the
portal starts. When some of the scores are there, every third student is given more points, and the portal is
killed with all its processes; it is started again, and killed again later.

Exit status: 0 every student has the right score, and none came twice out of order; 1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from attest.lti.keys import public_jwks
from attest.serve import ready_django
from benchmarks.portal import database, database_name
from tests.attest.conftest import write_assignment
from tests.lti.platform import Platform, Tool, faults
from tests.lti.platform.services import Received
from tests.portal.launching import PRIVATE
from tests.portal.running import Portal, wait_for

MOST_SECONDS = 3600.0
MAXIMUM = 5.0  # of the assignment; the LMS's column has 20
COLUMN = 20.0
LAST = 10  # scores that had the worst luck: how long they are behind is said
MORE = 3  # every so manieth student is given more points meanwhile


def main() -> int:
    """Send, kill, and look at what came of it."""
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="attest-bench-") as folder, database(asked.postgresql):
        data = Path(folder) / "portal"
        ready_django(data)
        from attest.portal.serving import prepare

        prepare()
        with Platform("moodle") as platform:
            tool = platform.add_tool("http://portal.example/login", "http://portal.example/launch", keys())
            subjects = make_class(platform, tool, asked.students, Path(folder))
            platform.weather = faults.Weather(asked.trouble, seed=asked.seed, at=("scores", "results"))
            return measure(asked, platform, data, subjects)


def measure(asked: argparse.Namespace, platform: Platform, data: Path, subjects: Mapping[int, str]) -> int:
    """Have everything sent, with kills in between, and print what came of it."""
    from attest.portal.outbox.models import OutgoingScore

    load = os.getloadavg()[0]
    begun = time.monotonic()
    left: list[int] = []
    portal = start(data)
    try:
        for number in range(asked.kills):
            part = asked.students * (number + 1) // (asked.kills + 1)
            wait_for(lambda part=part: there() >= part, MOST_SECONDS, portal.said)  # type: ignore[misc]
            if number == 0:
                give_more(subjects)
            portal.kill()
            left.append(OutgoingScore.objects.exclude(claimed_by="").count())
            portal = start(data)
        if not asked.kills:
            give_more(subjects)
        wait_for(lambda: there() >= asked.students - LAST, MOST_SECONDS, portal.said)
        nearly = time.monotonic() - begun
        wait_for(lambda: is_over(asked.students), MOST_SECONDS, portal.said)
        took = time.monotonic() - begun
        load_after = os.getloadavg()[0]
    finally:
        portal.end()
    # Of who is killed while sending only a part arrives.
    received = [one for one in platform.services.received if isinstance(one.score, dict)]
    answers = sum(name in ("scores", "results") for name, _ in platform.asked)
    print(
        f"load before it {load:.1f}, after it {load_after:.1f}, on {os.cpu_count()} cores, {database_name()}"
    )
    print(f"seed {asked.seed}, {asked.trouble:.0%} in trouble")
    print(f"{answers} requests for {asked.students} students; {len(received)} scores reached the gradebook")
    for held in left:
        print(f"killed with {held} scores under way")
    faults_found = [*wrong(platform, subjects), *disorder(received)]
    print(f"all but {LAST} there after {nearly:.0f} s, all after {took:.0f} s")
    print(
        "\n".join(faults_found[:20]) or f"{asked.students} students: every score is right, none out of order"
    )
    return int(bool(faults_found))


def start(data: Path) -> Portal:
    """Start the portal and wait until it answers."""
    return Portal(data, "--workers", "0", env=PRIVATE)


def keys() -> dict[str, Any]:
    """Return the portal's public keys, as a platform reads them."""
    from attest.portal.lms.own_keys import own_keys

    return public_jwks(own_keys(time.time()))


def make_class(platform: Platform, tool: Tool, number: int, folder: Path) -> dict[int, str]:
    """Make a class here and there, every student graded; return who is called what there."""
    from django.db import transaction

    from attest.portal.courses.models import Course, Membership
    from attest.portal.handing_in.taking import take
    from attest.portal.people.models import Person
    from tests.portal.outgoing import enrol, link
    from tests.portal.school import keep_result, make_assignment

    course = Course.objects.create(title="A large class")
    assignment = make_assignment(course, write_assignment(folder / "doubling"))
    resource = link(platform, tool, assignment)
    subjects = {}
    with transaction.atomic():
        for index, member in enumerate(platform.course.add_students(number)):
            person = Person.objects.create(email=f"s{index}@example.edu", name=member.name)
            Membership.objects.create(course=course, person=person)
            enrol(resource.context, person, member.subject)
            keep_result(take(assignment, person, [("double.py", b"x = 1\n")]), (index % 3, 0))
            subjects[person.pk] = member.subject
    return subjects


def give_more(subjects: Mapping[int, str]) -> None:
    """Give every third student all points."""
    from attest.portal.grading.giving import give_points
    from attest.portal.handing_in.models import Submission
    from attest.portal.people.models import Person

    by = Person.objects.create(email="instructor@example.edu", name="Instructor")
    for submission in Submission.objects.filter(person__in=list(subjects)[::MORE]):
        give_points(submission, "", MAXIMUM, reason="It is right.", by=by, before=None)


def there() -> int:
    """Return how many scores are there by what the portal knows."""
    from attest.portal.outbox.models import OutgoingScore

    return OutgoingScore.objects.filter(state=OutgoingScore.State.SENT).count()


def is_over(students: int) -> bool:
    """Whether everything that is wanted is there, with what was given meanwhile."""
    from attest.portal.grading.models import Override
    from attest.portal.outbox.models import OutgoingScore

    given = Override.objects.values("submission")
    known = OutgoingScore.objects.filter(submission__in=given, points=MAXIMUM).count()
    return there() == students and known == given.count()


def wrong(platform: Platform, subjects: Mapping[int, str]) -> list[str]:
    """Say who does not have in the LMS what they have here."""
    (column,) = platform.course.line_items.values()
    said = []
    for index, subject in enumerate(subjects.values()):
        points = MAXIMUM if index % MORE == 0 else float(index % 3)
        grade = column.grades.get(subject)
        if grade is None or grade.score != points / MAXIMUM * COLUMN:
            said.append(f"{subject} has {grade and grade.score} there, and {points} of {MAXIMUM} here")
    return said


def disorder(received: Sequence[Received]) -> list[str]:
    """Say which scores came out of order, ahead of their time, twice in a second, or twice for nothing."""
    by_person: dict[str, list[Received]] = defaultdict(list)
    for one in received:
        by_person[one.score["userId"]].append(one)
    said = []
    for subject, scores in by_person.items():
        stamps = [datetime.fromisoformat(one.score["timestamp"]).timestamp() for one in scores]
        if any(later <= earlier for earlier, later in pairwise(stamps)):
            said.append(f"{subject}: times do not grow: {stamps}")
        if any(stamp > one.at for stamp, one in zip(stamps, scores, strict=True)):
            said.append(f"{subject}: a time lies ahead")
        if any(later.at - earlier.at < 1.0 for earlier, later in pairwise(scores)):
            said.append(f"{subject}: two scores within a second")
        points = [one.score["scoreGiven"] for one in scores]
        if points != sorted(points):  # they only rose
            said.append(f"{subject}: an older score came after a newer one: {points}")
    return said


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=2, help="how often the portal is killed meanwhile")
    parser.add_argument("--trouble", type=float, default=0.3, help="the part of requests that is refused")
    parser.add_argument("--seed", type=int, default=7, help="of the LMS's trouble")
    parser.add_argument("--postgresql", action="store_true", help="on a server of its own")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
