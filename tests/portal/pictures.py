"""The pictures in docs/images, taken again: a portal in which the example cohort has handed in, in Chromium.

    python -m tests.portal.pictures [--into FOLDER] [--students N]

It takes some minutes, since everybody is really graded.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from attest.serve import ready_django
from tests.attest.processes import descendants
from tests.portal.running import Portal, wait_for
from tests.reports.conftest import FLAGS

ROOT = Path(__file__).parents[2]
COHORT = ROOT / "examples" / "cohort"
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000
LATE = "s07-garnet.py"  # whose author hands in while we look
GRADING_SECONDS = 1800
TESTS = Path("examples", "scaled_dot_product_attention", "tests", "test_hidden.py")  # some are graded again
TOO_STRICT = "Scores in the thousands give finite weights that sum to one."  # the check that is mended


@dataclass
class Class:
    """What is there to be looked at."""

    sessions: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


def make_class(students: int, assignments: Path) -> Class:
    """Make a course with so many of the example cohort, and take in what they hand in."""
    from attest.portal.courses.models import Course, Membership, Role, Section
    from attest.portal.handing_in.taking import Refused, take
    from attest.portal.people.models import Person
    from tests.portal.school import make_assignment
    from tests.portal.sessions import session_of

    found = Class()
    course = Course.objects.create(title="Attention and transformers", zone="Europe/Berlin")
    sections = [Section.objects.create(course=course, name=name) for name in ("Monday", "Thursday")]
    due = (datetime.now(UTC) + timedelta(days=3)).replace(hour=22, minute=59, second=0, microsecond=0)
    assignment = make_assignment(
        course, assignments / "basics", due_at=due, late_policy="10% per day", attempts=5
    )
    teacher = Person.objects.create(email="instructor@example.edu", name="Instructor", zone=course.zone)
    Membership.objects.create(course=course, person=teacher, role=Role.INSTRUCTOR)
    found.sessions["teacher"] = session_of(teacher)
    for number, path in enumerate(sorted(COHORT.iterdir())[:students]):
        name = path.name.partition(".")[0].partition("-")[2]
        student = Person.objects.create(email=f"{name}@example.edu", name=name.title(), zone=course.zone)
        Membership.objects.create(
            course=course, person=student, section=sections[number % 2], student_id=path.name[:3]
        )
        found.sessions[name] = session_of(student)
        if path.name != LATE:
            files = [path] if path.is_file() else sorted(path.iterdir())
            with suppress(Refused):  # one of them is empty
                submission = take(assignment, student, [(one.name, one.read_bytes()) for one in files])
                found.numbers[name] = submission.pk
    found.numbers |= {"course": course.pk, "assignment": assignment.pk}
    return found


class Camera:
    """A browser that keeps what it sees."""

    def __init__(self, page: Page, portal: Portal, made: Class, assignments: Path, folder: Path) -> None:
        self.page, self.portal, self.made = page, portal, made
        self.root, self.assignments, self.folder = f"http://localhost:{portal.port}", assignments, folder

    def open(self, who: str, path: str) -> Page:
        session = {"name": "sessionid", "value": self.made.sessions[who], "url": self.root}
        self.page.context.clear_cookies()
        self.page.context.add_cookies([session])  # type: ignore[list-item]
        self.page.goto(self.root + path)
        return self.page

    def keep(self, name: str, height: int = 900) -> None:
        """Write what is seen, as a PNG with few colours."""
        size = self.page.viewport_size or {"width": 0}
        whole = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": size["width"], "height": min(height, whole)})
        seen = Image.open(io.BytesIO(self.page.screenshot()))
        few = seen.convert("RGB").quantize(128, dither=Image.Dither.NONE)
        path = self.folder / f"{name}.png"
        few.save(path, optimize=True)
        size_found = path.stat().st_size
        assert size_found < MOST_BYTES, f"{path}: {size_found:,} bytes; at most {MOST_BYTES:,} are expected"
        print(f"{path} {size_found:,} bytes")


def students_pages(camera: Camera) -> None:
    """What a student sees: what is asked, how far it is, and the report."""
    numbers = camera.made.numbers
    page = camera.open("garnet", f"/assignments/{numbers['assignment']}/")
    camera.keep("portal-assignment")
    page.get_by_label("Your files").set_input_files(COHORT / LATE)
    with standing_still(camera.portal) as go_on:
        page.get_by_role("button", name="Hand in").click()
        expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
        while page.locator("#checks li").count() < 6:
            assert not page.get_by_role("link", name="Read the report").count(), "It went on for too long."
            go_on(0.1)
            page.wait_for_timeout(800)  # what is on its way comes
        camera.keep("portal-progress")
    expect(page.get_by_role("link", name="Read the report")).to_be_visible(timeout=120_000)
    page.get_by_role("link", name="Read the report").click()
    camera.keep("portal-report")


@contextmanager
def standing_still(portal: Portal) -> Iterator[Callable[[float], None]]:
    """Have nothing graded meanwhile, but for so many seconds as it is told to go on."""

    def tell(number: signal.Signals) -> None:
        for worker in portal.workers():
            for one in (worker, *descendants(worker)):
                with suppress(ProcessLookupError):
                    os.kill(one, number)

    def go_on(seconds: float) -> None:
        tell(signal.SIGCONT)
        time.sleep(seconds)
        tell(signal.SIGSTOP)

    tell(signal.SIGSTOP)
    try:
        yield go_on
    finally:
        tell(signal.SIGCONT)


def instructors_pages(camera: Camera) -> None:
    """What an instructor sees of the class."""
    camera.open("teacher", f"/assignments/{camera.made.numbers['assignment']}/dashboard/")
    camera.keep("portal-dashboard", 1300)
    camera.open("teacher", f"/assignments/{camera.made.numbers['assignment']}/marking/of/mean_pool/next/")
    camera.keep("portal-marking")


def grading_again(camera: Camera) -> None:
    """What an instructor sees who has mended a check that was too strict, and has it graded again."""
    tests = camera.assignments / TESTS
    title = f'"""{TOO_STRICT}"""'
    mended = tests.read_text().replace(title, f"{title}\n    return")
    assert mended != tests.read_text(), f"{tests}: no check is called {TOO_STRICT!r}."
    tests.write_text(mended)
    page = camera.open("teacher", f"/assignments/{camera.made.numbers['assignment']}/regrade/")
    page.get_by_label("Whose attempts").select_option("check")
    check = page.get_by_label("The check, where you ask for one")
    check.select_option(page.locator("#check option", has_text=TOO_STRICT).get_attribute("value"))
    page.get_by_label("Why").fill("The check was too strict: some ways to be finite were not taken.")
    page.get_by_role("button", name="Grade again").click()
    expect(page.get_by_role("heading", name="What grading again changes")).to_be_visible()
    expect(page.get_by_role("button", name="Accept all")).to_be_visible(timeout=1000 * GRADING_SECONDS)
    camera.keep("portal-grade-again")


PICTURES: Mapping[str, Callable[[Camera], None]] = {
    "a student's": students_pages,
    "an instructor's": instructors_pages,
    "an instructor's who has mended a check": grading_again,
}


@contextmanager
def camera_on(portal: Portal, made: Class, assignments: Path, folder: Path) -> Iterator[Camera]:
    """A browser, light and of one size."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = chromium.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        yield Camera(page, portal, made, assignments, folder)
        chromium.close()


def main() -> int:
    """Take all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, default=IMAGES)
    parser.add_argument(
        "--students", type=int, default=100, help="at least 8, so that some fail what is mended"
    )
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="attest-pictures-") as place:
        data = Path(place) / "portal"
        assignments = Path(shutil.copytree(ROOT / "assignments", Path(place) / "assignments"))
        ready_django(data)
        from django.db import connections

        from attest.portal.serving import prepare

        prepare()
        made = make_class(asked.students, assignments)
        connections.close_all()
        portal = Portal(data, "--workers", "2")
        try:
            waiting = "select count(*) from grading_job where state in ('queued', 'running')"
            wait_for(lambda: portal.rows(waiting) == [(0,)], GRADING_SECONDS, portal.said)
            with camera_on(portal, made, assignments, asked.into) as camera:
                for take_them in PICTURES.values():
                    take_them(camera)
        finally:
            portal.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
