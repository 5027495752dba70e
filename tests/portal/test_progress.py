"""Who waits for a report sees how far it is: the place in the queue, then the checks that they may see."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.urls import reverse

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading import queue
from attest.portal.grading.models import Job
from attest.portal.grading.progress import Progress, Step, steps_of
from attest.portal.handing_in.events import MOST_OF_ONE
from attest.portal.handing_in.taking import take
from tests.attest.conftest import RIGHT, write_assignment
from tests.portal.running import Browser, Portal, new_database, wait_for
from tests.portal.school import School, keep_result
from tests.portal.test_serving import (
    course_with_roster,
    first_administrator,
    hand_in,
    is_graded,
    needs_sandbox,
    student,
)

SLOW = (
    "import time\n\ndef double(x):\n    if not isinstance(x, int):\n        time.sleep(4)\n    return x + x\n"
)


def running(school: School) -> Job:
    job = queue.claim("a worker", job_id=school.submission.jobs.get().pk)
    assert job is not None
    return job


def state(school: School) -> str:
    path = reverse("state", args=[school.submission.pk])
    return school.browser(school.student).get(path).content.decode()


def test_checks_are_shown_as_they_end(school: School) -> None:
    job = running(school)
    progress = Progress().and_then("`double(3)` is <6>.", "passed", 7).and_then("It doubles.", "failed", 7)
    queue.prolong(job, "a worker", progress.as_json())

    text = state(school)

    assert "It is being graded now." in text
    assert "2 of 7 checks have run." in text
    assert "<code>double(3)</code> is &lt;6&gt;." in text
    assert "</span> Failed</span> It doubles." in text


def test_no_verdict_is_shown_before_the_instructor_releases_it(school: School) -> None:
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    queue.prolong(running(school), "a worker", Progress().and_then("It doubles.", "failed", 7).as_json())

    assert "It doubles." not in state(school)


def test_whoever_takes_the_job_over_begins_from_nothing(school: School) -> None:
    job = running(school)
    queue.prolong(job, "a worker", Progress().and_then("It doubles.", "passed", 7).as_json())
    queue.release("a worker")

    assert queue.claim("another") == job
    assert steps_of([school.submission.pk]) == {school.submission.pk: Step("running")}


def test_a_worker_that_has_lost_the_job_says_nothing_of_it(school: School) -> None:
    job = running(school)
    queue.release("a worker")
    queue.claim("another")

    assert not queue.prolong(job, "a worker", Progress().and_then("It doubles.", "passed", 7).as_json())
    assert "It doubles." not in state(school)


def test_what_is_graded_keeps_no_progress(school: School) -> None:
    keep_result(school.submission)

    assert Job.objects.get().progress == {}
    assert not steps_of([school.submission.pk])[school.submission.pk].waits


def test_the_place_in_the_queue_is_said(school: School) -> None:
    later = take(school.assignment, school.classmate, [("double.py", RIGHT.encode())])

    steps = steps_of([school.submission.pk, later.pk])

    assert steps[school.submission.pk].sentence == "In the queue; it is next."
    assert steps[later.pk].sentence == "In the queue; 1 submission is graded before it."


class Events:
    """A browser's EventSource: one connection, read event by event."""

    def __init__(self, portal: Portal, browser: Browser, receipt: str) -> None:
        path = f"/submissions/{receipt.rstrip('/').rpartition('/')[2]}/events/"
        self.connection = http.client.HTTPConnection("localhost", portal.port, timeout=120)
        cookies = "; ".join(f"{one.name}={one.value}" for one in browser.cookies)
        self.connection.request("GET", path, headers={"Cookie": cookies})
        self.answer = self.connection.getresponse()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        kind = ""
        while line := self.answer.readline().decode():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ").strip()
            elif line.startswith("data:") and kind != "here":
                yield kind, line.removeprefix("data:").strip()

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def streams(portal: Portal) -> int:
    lines = Browser(portal).get("/metrics").text.splitlines()
    return int(next(line for line in lines if line.startswith("attest_event_streams ")).split()[1])


def test_streams_are_bounded_checked_and_gone_with_the_browser(tmp_path: Path, doubling_folder: Path) -> None:
    portal = Portal(tmp_path / "data", "--workers", "0", env=new_database())
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, doubling_folder)
        lena = student(portal, link)
        receipt = hand_in(lena, assignment, RIGHT)

        nobody = Events(portal, Browser(portal), receipt)
        assert nobody.answer.status == 302
        opened = [Events(portal, lena, receipt) for _ in range(MOST_OF_ONE)]
        assert {one.answer.headers["Content-Type"] for one in opened} == {"text/event-stream"}
        assert {one.answer.headers["Cache-Control"] for one in opened} == {"no-store"}
        for one in opened:
            kind, data = next(iter(one))
            assert (kind, json.loads(data)["sentence"]) == ("step", "In the queue; it is next.")
        assert streams(portal) == MOST_OF_ONE
        assert Events(portal, lena, receipt).answer.status == 204

        for one in opened:
            one.close()
        wait_for(lambda: streams(portal) == 0, 30, portal.said)
        assert Events(portal, lena, receipt).answer.status == 200
    finally:
        assert portal.end() == 0  # a stream that is open holds nothing up


def test_of_many_streams_that_come_at_once_no_more_stay_than_one_person_may_have(
    tmp_path: Path, doubling_folder: Path
) -> None:
    portal = Portal(tmp_path / "data", "--workers", "0", env=new_database())
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, doubling_folder)
        lena = student(portal, link)
        receipt = hand_in(lena, assignment, RIGHT)
        with ThreadPoolExecutor(24) as pool:
            burst = list(pool.map(lambda _: Events(portal, lena, receipt), range(24)))

        waiting = [one for one in burst if one.answer.status == 200 and next(iter(one))[0] == "step"]

        assert len(waiting) == MOST_OF_ONE
        assert streams(portal) == MOST_OF_ONE
        for one in burst:
            one.close()
        wait_for(lambda: streams(portal) == 0, 30, portal.said)
    finally:
        assert portal.end() == 0


@needs_sandbox
def test_checks_come_as_events_and_none_that_is_kept(tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "doubling")
    hidden = folder / "tests" / "test_hidden.py"
    hidden.write_text(
        hidden.read_text().replace("@points(3)", "@points(3, visibility='after_due')")
        + '\n\n@points(1)\ndef test_negative(student):\n    """double(-1) is -2."""\n'
        "    assert student.double(-1) == -2\n"
    )
    toml = folder / "assignment.toml"
    toml.write_text(toml.read_text().replace("points = 5", "points = 6"))
    portal = Portal(tmp_path / "data", "--workers", "1", env=new_database())
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, folder)
        lena = student(portal, link)
        receipt = hand_in(lena, assignment, SLOW)

        events = list(Events(portal, lena, receipt))

        assert events[-1] == ("ended", "")
        said = [json.loads(data)["checks"] for kind, data in events if kind == "step"]
        assert any("double(3) is 6." in one and "1 of 2 checks have run." in one for one in said)
        assert not any("Every element" in one for one in said)
        wait_for(lambda: is_graded(lena, receipt), 120, portal.said)
        assert portal.rows("select progress from grading_job")[0][0] in ("{}", {})
    finally:
        portal.end()
