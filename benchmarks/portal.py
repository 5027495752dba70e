"""A class that hands in at once: how long receipts take while grading runs, and whether anything is lost.

    python -m benchmarks.portal --students 300 --seconds 60 --workers 1
    python -m benchmarks.portal --kill --postgresql

A real `attest serve` on this machine, each student a browser of their own: the page of the assignment, the
upload, the receipt, and then the receipt's page every few seconds until the time is over. With `--kill` a
worker is killed after a third of the time, and the portal with all its workers after two; a student who gets
no answer looks again and hands in once more.

Exit status: 0 nothing is lost or graded twice, and with `--bars` all is quick enough; 1 otherwise.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from attest.serve import ready_django
from tests.portal.postgresql import programs, server
from tests.portal.running import Portal

ASSIGNMENT = Path(__file__).parent / "assignment"
SUBMISSIONS = sorted((Path(__file__).parent / "submissions").glob("*.py"))
LOOK_SECONDS = 5.0
AGAIN_SECONDS = 2.0  # before a student who got no answer looks again
DRAIN_SECONDS = 1800.0  # in which everything is to be graded
BAR = 0.5  # seconds within which 95 of 100 receipts, and as many pages, are answered
PAGES = ("assignment's page", "receipt", "looking again")


@dataclass
class Times:
    """How long each kind of request took, in seconds, and what was no answer."""

    taken: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    cut_off: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, seconds: float) -> None:
        with self.lock:
            self.taken.setdefault(kind, []).append(seconds)

    def add_cut_off(self) -> None:
        with self.lock:
            self.cut_off += 1

    def within(self, kind: str, share: float) -> float:
        """Return the time within which this share of the requests was answered."""
        found = sorted(self.taken.get(kind, [0.0]))
        return found[int(share * (len(found) - 1))]

    def line(self, kind: str) -> str:
        half, most, longest = (self.within(kind, share) * 1000 for share in (0.5, 0.95, 1.0))
        return (
            f"{kind:<18} {len(self.taken.get(kind, ())):>5} requests   half within {half:6.0f} ms   "
            f"95 % within {most:6.0f} ms   longest {longest:6.0f} ms"
        )


@dataclass
class Place:
    """Where the portal is: on another port after it was killed and started again."""

    data: Path
    workers: int
    portal: Portal

    def kill_a_worker(self) -> None:
        for number in self.portal.workers()[:1]:
            os.kill(number, signal.SIGKILL)

    def kill_and_start_again(self) -> None:
        self.portal.kill()
        self.portal = start(self.data, self.workers)


def start(data: Path, workers: int) -> Portal:
    """Start the portal and wait until it answers."""
    return Portal(data, "--workers", str(workers))


@dataclass(frozen=True)
class Student:
    """One browser."""

    place: Place
    session: str
    assignment: int
    text: bytes
    times: Times
    may_be_cut_off: bool

    def hand_in(self, until: float) -> str:
        """Look at the assignment, hand in, look at the receipt; return its address.

        Where no answer comes, look again until there is one.
        """
        while time.monotonic() < until:
            page, _ = self.ask("assignment's page", "GET", f"/assignments/{self.assignment}/")
            token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
            receipt = self.send(token[1].decode()) if token else ""
            if receipt:
                self.ask("receipt", "GET", receipt)
            if receipt or not self.may_be_cut_off:
                return receipt
            time.sleep(AGAIN_SECONDS)
        return ""

    def send(self, token: str) -> str:
        """Hand in; return the receipt's address, "" where no answer came."""
        mark = secrets.token_hex(16)
        part = f"--{mark}\r\nContent-Disposition: form-data; name="
        body = (
            f'{part}"csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
            f'{part}"files"; filename="attention.py"\r\n\r\n{self.text.decode()}\r\n--{mark}--\r\n'
        ).encode()
        kind = f"multipart/form-data; boundary={mark}"
        return self.ask("handing in", "POST", f"/assignments/{self.assignment}/hand-in/", body, kind)[1]

    def ask(
        self, what: str, method: str, path: str, body: bytes | None = None, kind: str = ""
    ) -> tuple[bytes, str]:
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={'c' * 32}"}
        if kind:
            headers["Content-Type"] = kind
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.place.portal.port, timeout=60)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            data, status, place = answer.read(), answer.status, answer.headers.get("Location", "")
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            if self.may_be_cut_off:
                self.times.add_cut_off()
            else:
                self.times.wrong.append(f"{what}: {type(error).__name__}")
            return b"", ""
        self.times.add(what, time.monotonic() - begun)
        if status not in (200, 302):
            self.times.wrong.append(f"{what}: {status} {place}")
        return data, urlsplit(place).path


def main() -> int:
    """Measure, and print what came of it."""
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="attest-bench-") as folder, database(asked.postgresql):
        data = Path(folder) / "portal"
        ready_django(data)
        from attest.portal.serving import prepare

        prepare()
        assignment, sessions = make_class(asked.students)
        place = Place(data, asked.workers, start(data, asked.workers))
        try:
            return measure(asked, place, assignment, sessions)
        finally:
            place.portal.end()


@contextmanager
def database(postgresql: bool) -> Iterator[None]:
    """Use a PostgreSQL server of our own, or what DATABASE_URL names, or SQLite."""
    found = programs() if postgresql else None
    if postgresql and found is None:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql.")
    if found is None:
        yield
        return
    with server(found) as url:
        os.environ["DATABASE_URL"] = url
        try:
            yield
        finally:
            from django.conf import settings
            from django.db import connections

            if settings.configured:  # a benchmark may ask the portal alone
                connections.close_all()


def measure(asked: argparse.Namespace, place: Place, assignment: int, sessions: list[str]) -> int:
    """Have everybody hand in within the time, wait for the queue, and count."""
    from attest.portal.grading.models import Graded, Job

    times = Times()
    texts = [path.read_bytes() for path in SUBMISSIONS]
    students = []
    for number, session in enumerate(sessions):
        text = texts[number % len(texts)] + f"# {number}\n".encode()
        students.append(Student(place, session, assignment, text, times, asked.kill))
    load = os.getloadavg()[0]
    begun = time.monotonic()
    starts = random.Random(7)
    receipts: list[str] = []

    def live(student: Student, at: float) -> None:
        time.sleep(max(0.0, begun + at - time.monotonic()))
        receipt = student.hand_in(begun + asked.seconds + DRAIN_SECONDS)
        receipts.append(receipt)
        while receipt and time.monotonic() - begun < asked.seconds:
            time.sleep(LOOK_SECONDS)
            student.ask("looking again", "GET", receipt)

    def at(share: float, act: Callable[[], None]) -> threading.Timer:
        return threading.Timer(share * asked.seconds, act)

    threads: list[threading.Thread] = [
        threading.Thread(target=live, args=(student, starts.uniform(0, asked.seconds * 0.9)))
        for student in students
    ]
    if asked.kill:
        threads += [at(1 / 3, place.kill_a_worker), at(2 / 3, place.kill_and_start_again)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = processor_seconds(place.portal.process.pid)
    graded_meanwhile = Graded.objects.count()
    open_states = (Job.State.QUEUED, Job.State.RUNNING)
    while Job.objects.filter(state__in=open_states).exists() and time.monotonic() - begun < DRAIN_SECONDS:
        time.sleep(1.0)
    drained = time.monotonic() - begun
    print(f"load before it {load:.1f}, {asked.workers} at work, {database_name()}")
    for kind in ("handing in", *PAGES):
        print(times.line(kind))
    requests = sum(map(len, times.taken.values()))
    if not asked.kill:
        print(f"the server computed {spent:.1f} s for them, {spent / requests * 1000:.1f} ms for a request")
    else:
        print(f"{times.cut_off} requests were cut off when the portal was killed")
    print(f"{graded_meanwhile} were graded meanwhile; the queue was empty after {drained:.0f} s")
    faults = [*lost(asked.students, receipts), *times.wrong[:10]]
    slow = [kind for kind in ("handing in", *PAGES) if times.within(kind, 0.95) > BAR]
    faults += [f"{kind}: not within {BAR * 1000:.0f} ms" for kind in slow if asked.bars]
    print("\n".join(faults) or f"{asked.students} students: nothing is lost, and nothing was graded twice")
    return int(bool(faults))


def lost(students: int, receipts: list[str]) -> list[str]:
    """Say what was lost, graded twice or not at all."""
    from django.db.models import Count

    from attest.portal.grading.models import Job
    from attest.portal.handing_in.models import Submission

    found = Submission.objects.annotate(
        results_count=Count("results", distinct=True), jobs_count=Count("jobs", distinct=True)
    )
    there = {f"/submissions/{one.pk}/": one for one in found}
    said = [f"{students - sum(map(bool, receipts))} students have no receipt"] if "" in receipts else []
    said += [f"{place} was received and is gone" for place in receipts if place and place not in there]
    for place, one in there.items():
        if (one.results_count, one.jobs_count) != (1, 1):
            said.append(f"{place} has {one.results_count} results of {one.jobs_count} jobs")
    undone = Job.objects.exclude(state=Job.State.DONE).count()
    people = found.values("person").distinct().count()
    if undone or people != students:
        said.append(f"{undone} jobs are not done; {people} of {students} students have a submission")
    return said


def database_name() -> str:
    from django.db import connection

    return connection.display_name


def make_class(number: int) -> tuple[int, list[str]]:
    """Make a course with so many students, signed in; return the assignment's number and their sessions."""
    from attest.portal.courses.models import Course, CourseAssignment, Membership
    from attest.portal.people.models import Person
    from graders.assignment import find_assignment
    from tests.portal.sessions import session_of

    found = find_assignment(ASSIGNMENT)
    course = Course.objects.create(title="A large class")
    assignment = CourseAssignment.objects.create(
        course=course,
        folder=str(ASSIGNMENT),
        title=found.title,
        max_points=found.points,
        content_hash=found.info.content_hash,
    )
    sessions = []
    for index in range(number):
        person = Person.objects.create(email=f"s{index}@example.edu", name=f"Student {index}")
        Membership.objects.create(course=course, person=person)
        sessions.append(session_of(person))
    return assignment.pk, sessions


def processor_seconds(pid: int) -> float:
    """Return how long a process has computed, its start included; its children are not."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--kill", action="store_true", help="kill a worker and the portal in the middle")
    parser.add_argument("--bars", action="store_true", help=f"95 %% are answered within {BAR} s, or exit 1")
    parser.add_argument("--postgresql", action="store_true", help="on a server of its own")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
