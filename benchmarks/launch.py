"""From a click in an LMS to the first page: how long the portal takes for a launch.

    python -m benchmarks.launch --students 100
    python -m benchmarks.launch --postgresql

A real `attest serve` and the fake LMS of the tests, over HTTP. Each student comes three times: as somebody
new in the LMS's frame, where the first page says how it stands; there again; and in a window of its own,
where it is the assignment's. Counted is the portal's part, without the LMS: from sending the login to its
answer, and from sending the launch to the last byte of the page. With `--bars`, exit status 1 where 95 of
100 launches of a kind take longer than 300 ms.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from benchmarks.portal import ASSIGNMENT, Times, database, processor_seconds
from tests.lti.platform import Link, Platform, Tool
from tests.portal.launching import code_of, in_a_school, register
from tests.portal.running import Browser, Portal, links
from tests.portal.test_serving import course_with_roster, first_administrator

BAR = 0.3  # seconds within which 95 of 100 launches show their first page
KINDS = ("new, in a frame", "again, in a frame", "again, in a window")


class Clicks:
    """One student's browser at the portal; it keeps cookies, and follows to the first page."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("localhost", port, timeout=60)
        self._cookies: dict[str, str] = {}

    def ask(
        self, method: str, path: str, form: dict[str, str] | None = None, framed: bool = False
    ) -> tuple[int, str, str]:
        """Return status, where it leads, and the page."""
        body = urlencode(form).encode() if form is not None else None
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        headers |= {"Sec-Fetch-Dest": "iframe"} if framed else {}
        headers["Origin"] = f"http://localhost:{self._connection.port}"
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        page = answer.read().decode()
        for line in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer.status, answer.getheader("Location") or "", page

    def launch(self, platform: Platform, tool: Tool, subject: str, link: Link, *, framed: bool) -> float:
        """Click, and return the seconds that the portal took."""
        seconds, page = self.first_page(platform, tool, subject, link, framed=framed)
        assert "hand in" in page.lower(), page
        return seconds

    def first_page(
        self, platform: Platform, tool: Tool, subject: str, link: Link, *, framed: bool
    ) -> tuple[float, str]:
        """Return the seconds that the portal took, and the page that came in the end."""
        told = platform.launches.begin(tool, subject, link)
        begun = time.perf_counter()
        _, onward, page = self.ask("POST", "/lti/login", told, framed)
        seconds = time.perf_counter() - begun
        if framed:
            onward = unescape(page.split('data-onward="', 1)[1].split('"', 1)[0])
        form = platform.launches.authenticate(dict(parse_qsl(urlsplit(onward).query))).fields
        begun = time.perf_counter()
        status, onward, page = self.ask("POST", "/lti/launch", dict(form), framed)
        while status == 302:
            status, onward, page = self.ask("GET", onward)
        seconds += time.perf_counter() - begun
        assert status == 200, page
        return seconds, page


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--bars", action="store_true")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="attest-launch-") as name, database(arguments.postgresql):
        times, computed = measure(Path(name), arguments.students)
    for kind in KINDS:
        print(times.line(kind))
    print(f"The portal computed {computed * 1000:.0f} ms for a launch.")
    met = all(times.within(kind, 0.95) <= BAR for kind in KINDS)
    print(f"{'Met' if met else 'Not met'}: 95 % within {BAR * 1000:.0f} ms.")
    return 0 if met or not arguments.bars else 1


def measure(folder: Path, students: int) -> tuple[Times, float]:
    """Have everybody click three times, one after another; return the portal's seconds for one, too."""
    times = Times()
    with in_a_school(folder) as portal, Platform("moodle") as platform:
        administrator = first_administrator(portal)
        assignment, _ = course_with_roster(portal, administrator, ASSIGNMENT)
        tool = register(portal, administrator, platform, family="moodle", name="Moodle").tool
        link = linked(portal, platform, tool, assignment, administrator)
        before = processor_seconds(portal.process.pid)
        for member in platform.course.add_students(students):
            browser = Clicks(portal.port)
            for kind in KINDS:
                framed = kind.endswith("frame")
                times.add(kind, browser.launch(platform, tool, member.subject, link, framed=framed))
        computed = processor_seconds(portal.process.pid) - before
    return times, computed / (students * len(KINDS))


def linked(portal: Portal, platform: Platform, tool: Tool, assignment: str, by: Browser) -> Link:
    """Link the LMS's course with the portal's by its code, and return a link that opens the assignment."""
    number = urlsplit(assignment).path.strip("/").split("/")[-1]
    link = platform.add_assignment(tool, attest_assignment=number)
    course = next(iter(links(by.get("/"), r"/courses/\d+/")))
    teacher = Clicks(portal.port)
    _, page = teacher.first_page(platform, tool, "t1", link, framed=True)
    ticket = re.search(r'name="ticket" value="([^"]+)"', page)
    assert ticket, page
    form = {"ticket": ticket[1], "code": code_of(course, by)}
    status, _, page = teacher.ask("POST", "/lti/choose", form, framed=True)
    assert status == 200, page
    return link


if __name__ == "__main__":
    sys.exit(main())
