"""A class that hands in at once: how long receipts take while grading runs, and whether anything is lost.

    python -m benchmarks.portal --students 300 --seconds 60 --workers 1

A real `attest serve` on this machine, each student a browser of their own: the page of the assignment, the
upload, the receipt, and then the receipt's page every few seconds until the time is over.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from attest.serve import ready_django

ASSIGNMENT = Path(__file__).parent / "assignment"
SUBMISSIONS = sorted((Path(__file__).parent / "submissions").glob("*.py"))
LOOK_SECONDS = 5.0


@dataclass
class Times:
    """How long each kind of request took, in seconds."""

    taken: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, seconds: float) -> None:
        with self.lock:
            self.taken.setdefault(kind, []).append(seconds)

    def line(self, kind: str) -> str:
        found = sorted(self.taken.get(kind, [0.0]))
        half, most = found[len(found) // 2], found[int(0.95 * (len(found) - 1))]
        return (
            f"{kind:<18} {len(found):>5} requests   half within {half * 1000:6.0f} ms   "
            f"95 % within {most * 1000:6.0f} ms   longest {found[-1] * 1000:6.0f} ms"
        )


@dataclass(frozen=True)
class Student:
    """One browser."""

    port: int
    session: str
    assignment: int
    text: bytes
    times: Times

    def hand_in(self) -> str:
        """Look at the assignment, hand in, look at the receipt; return its address."""
        page, _ = self.ask("assignment's page", "GET", f"/assignments/{self.assignment}/")
        token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        if token is None:
            return ""
        mark = secrets.token_hex(16)
        part = f"--{mark}\r\nContent-Disposition: form-data; name="
        body = (
            f'{part}"csrfmiddlewaretoken"\r\n\r\n{token[1].decode()}\r\n'
            f'{part}"files"; filename="attention.py"\r\n\r\n{self.text.decode()}\r\n--{mark}--\r\n'
        ).encode()
        kind = f"multipart/form-data; boundary={mark}"
        _, place = self.ask("handing in", "POST", f"/assignments/{self.assignment}/hand-in/", body, kind)
        self.ask("receipt", "GET", place)
        return place

    def ask(
        self, what: str, method: str, path: str, body: bytes | None = None, kind: str = ""
    ) -> tuple[bytes, str]:
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={'c' * 32}"}
        if kind:
            headers["Content-Type"] = kind
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            data, status, place = answer.read(), answer.status, answer.headers.get("Location", "")
            connection.close()
        except OSError as error:
            data, status, place = b"", 0, type(error).__name__
        self.times.add(what, time.monotonic() - begun)
        if status not in (200, 302):
            self.times.wrong.append(f"{what}: {status} {place}")
        return data, urlsplit(place).path


def main() -> int:
    """Measure, and print what came of it; 1 where anything was lost or graded twice."""
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="attest-bench-") as folder:
        data = Path(folder) / "portal"
        ready_django(data)
        from attest.portal.serving import prepare

        prepare()
        assignment, sessions = make_class(asked.students)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        program = "from attest.main import main; main()"
        command = [sys.executable, "-P", "-c", program, "serve", "--data", str(data), "--port", str(port)]
        with (Path(folder) / "log").open("wb") as log:
            portal = subprocess.Popen(
                [*command, "--workers", str(asked.workers)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        try:
            return measure(asked, port, assignment, sessions, portal.pid)
        finally:
            portal.terminate()
            portal.wait(60)


def measure(asked: argparse.Namespace, port: int, assignment: int, sessions: list[str], pid: int) -> int:
    """Have everybody hand in within the time, wait for the queue, and count."""
    from attest.portal.grading.models import Graded, Job
    from attest.portal.handing_in.models import Submission

    times = Times()
    texts = [path.read_bytes() for path in SUBMISSIONS]
    students = [
        Student(port, session, assignment, texts[number % len(texts)] + f"# {number}\n".encode(), times)
        for number, session in enumerate(sessions)
    ]
    wait_until_it_answers(port)
    begun = time.monotonic()
    starts = random.Random(7)

    def live(student: Student, at: float) -> None:
        time.sleep(max(0.0, begun + at - time.monotonic()))
        receipt = student.hand_in()
        while receipt and time.monotonic() - begun < asked.seconds:
            time.sleep(LOOK_SECONDS)
            student.ask("looking again", "GET", receipt)

    threads = [
        threading.Thread(target=live, args=(student, starts.uniform(0, asked.seconds * 0.9)))
        for student in students
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = processor_seconds(pid)
    graded_meanwhile = Graded.objects.count()
    open_states = (Job.State.QUEUED, Job.State.RUNNING)
    while Job.objects.filter(state__in=open_states).exists():
        time.sleep(1.0)
    drained = time.monotonic() - begun
    for kind in ("assignment's page", "handing in", "receipt", "looking again"):
        print(times.line(kind))
    requests = sum(map(len, times.taken.values()))
    print(f"the server computed {spent:.1f} s for them, {spent / requests * 1000:.1f} ms for a request")
    submissions, results = Submission.objects.count(), Graded.objects.count()
    poisoned = Job.objects.filter(state=Job.State.POISONED).count()
    print(
        f"{asked.students} students within {asked.seconds:g} s: {submissions} submissions, {results} results "
        f"({graded_meanwhile} of them meanwhile), {poisoned} given up, {len(times.wrong)} wrong answers; "
        f"the queue was empty after {drained:.0f} s"
    )
    for line in times.wrong[:10]:
        print("  ", line)
    return int(not (submissions == results == asked.students and not times.wrong))


def make_class(number: int) -> tuple[int, list[str]]:
    """Make a course with so many students, signed in; return the assignment's number and their sessions."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from attest.portal.courses.models import Course, CourseAssignment, Membership
    from attest.portal.people.models import Person
    from graders.assignment import find_assignment

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
        session = SessionStore()
        session[SESSION_KEY] = str(person.pk)
        session[BACKEND_SESSION_KEY] = "attest.portal.people.signing_in.ByEmail"
        session[HASH_SESSION_KEY] = person.get_session_auth_hash()
        session.create()
        assert session.session_key is not None
        sessions.append(session.session_key)
    return assignment.pk, sessions


def processor_seconds(pid: int) -> float:
    """Return how long a process has computed, its start included; its children are not."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_it_answers(port: int) -> None:
    """Wait for the portal."""
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise SystemExit("the portal does not answer")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
