"""The whole way through a portal that really runs, with a real sandbox, and when parts of it are killed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attest.conftest import RIGHT, WRONG
from tests.portal.running import COMMAND, Browser, Portal, links, new_database, wait_for

PASSWORD = "long enough for anybody"
ROSTER = b"id,name,email,section\ns1,Lena Ito,lena@example.edu,A\ns2,Omar Diaz,omar@example.edu,B\n"

needs_sandbox = pytest.mark.skipif(
    shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all",
    reason="bubblewrap is not installed.",
)


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "data").mkdir()  # as whoever runs it may have made it: for everybody to look into
    running = Portal(tmp_path / "data", "--workers", "1", env=new_database())
    yield running
    running.end()


def first_administrator(portal: Portal) -> Browser:
    browser = Browser(portal)
    fields = {"name": "Ada", "email": "ada@example.edu", "zone": "Europe/Berlin"}
    done = browser.post(portal.first_link(), {**fields, "password": PASSWORD, "again": PASSWORD})
    assert done.status == 200, done.text
    return browser


def course_with_roster(portal: Portal, browser: Browser, folder: Path) -> tuple[str, str]:
    """Make a course with a roster and an assignment; return the assignment's address and a student's link."""
    course = browser.post("/courses/new/", {"title": "Attention", "zone": "Europe/Berlin"}).url
    roster = browser.post(f"{course}roster/", {}, [("roster", "roster.csv", ROSTER)])
    assert "Lena Ito" in roster.text
    link = re.search(r'action="(/members/\d+/link/)"', roster.text)
    assert link
    shown = browser.post(link[1], {}, page=f"{course}roster/")
    address = re.search(r"http://[^\s<]+/password/[^\s<]+", shown.text)
    assert address, shown.text
    added = browser.post(
        f"{course}assignments/new/",
        {
            "folder": str(folder),
            "due_at": "2099-01-01 12:00",
            "late_policy": "10% per day",
            "attempts_an_hour": "20",
            "hidden_checks": "after_due",
            "counts": "best",
            "feedback": "at_once",
        },
    )
    assert added.status == 200, added.text
    return added.url, address[0]


def student(portal: Portal, link: str) -> Browser:
    browser = Browser(portal)
    done = browser.post(link, {"password": PASSWORD, "again": PASSWORD, "zone": "UTC"})
    assert done.status == 200, done.text
    return browser


def hand_in(browser: Browser, assignment: str, text: str) -> str:
    """Hand in; return the receipt's address."""
    receipt = browser.post(
        f"{assignment}hand-in/", {}, [("files", "double.py", text.encode())], page=assignment
    )
    assert "Receipt" in receipt.text, receipt.text
    assert "sha256:" in receipt.text
    return receipt.url


def is_graded(browser: Browser, receipt: str) -> bool:
    return bool(links(browser.get(receipt), r"/submissions/\d+/report/"))


@needs_sandbox
def test_from_the_first_start_to_a_students_report(portal: Portal, doubling_folder: Path) -> None:
    instructor = first_administrator(portal)
    assignment, link = course_with_roster(portal, instructor, doubling_folder)
    lena = student(portal, link)
    assert links(lena.get("/"), r"/courses/\d+/")

    receipt = hand_in(lena, assignment, RIGHT)
    wait_for(lambda: is_graded(lena, receipt), 120, portal.said)

    assert "5<span> of 5 points" in lena.get(receipt).text
    report = lena.get(f"{receipt}report/")
    assert "Every element is doubled" in report.text
    assert "default-src 'none'" in report.headers["Content-Security-Policy"]
    assert "script-src" not in report.headers["Content-Security-Policy"]
    listed = instructor.get(f"{assignment}submissions/")
    assert "5 of 5" in listed.text
    assert not [path for path in portal.data.glob("portal.sqlite3*") if path.stat().st_mode & 0o077]
    assert Browser(portal).get(portal.first_link()).status == 404
    assert Browser(portal).get(link).status == 404

    again = hand_in(lena, assignment, RIGHT)
    wait_for(lambda: is_graded(lena, again), 20, portal.said)  # known: nothing is run for it
    taken = portal.rows("select taken_from_id from grading_graded order by id")
    assert [row[0] is not None for row in taken] == [False, True]


@needs_sandbox
def test_kill_9_of_worker_and_portal_loses_nothing_and_grades_nothing_twice(
    tmp_path: Path, doubling_folder: Path
) -> None:
    slow = "import time\ntime.sleep(1.5)\n" + WRONG
    database = new_database()
    portal = Portal(tmp_path / "data", "--workers", "1", env=database)
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, doubling_folder)
        lena = student(portal, link)
        receipts = [hand_in(lena, assignment, f"{slow}# {number}\n") for number in range(3)]

        wait_for(lambda: "being graded" in lena.get(receipts[0]).text, 60, portal.said)
        for worker in portal.workers():
            os.kill(worker, signal.SIGKILL)
        wait_for(lambda: is_graded(lena, receipts[0]), 120, portal.said)
        portal.kill()  # its workers are to die with it
        wait_for(lambda: not any_worker_of(tmp_path / "data"), 20)
    finally:
        portal.end()

    portal = Portal(tmp_path / "data", "--workers", "1", env=database)
    try:
        lena = Browser(portal)
        fields = {"email": "lena@example.edu", "password": PASSWORD}
        lena.post("/sign-in/", fields)
        for receipt in receipts:
            path = re.sub(r"http://[^/]+", "", receipt)
            wait_for(lambda path=path: is_graded(lena, path), 120, portal.said)
    finally:
        assert portal.end() == 0

    counted = portal.rows("select submission_id, count(*) from grading_graded group by 1 order by 1")
    assert counted == [(1, 1), (2, 1), (3, 1)]


def any_worker_of(data: Path) -> bool:
    """Whether any process of a worker with this folder of data is alive."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (
                b"attest.portal.grading" in (process / "cmdline").read_bytes()
                and str(data).encode() in (process / "environ").read_bytes()
            ):
                return True
        except OSError:
            continue
    return False


def test_a_port_that_is_in_use_is_said_before_an_address_is(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = subprocess.run(
            [*COMMAND, "serve", "--data", str(tmp_path / "data"), "--port", str(port), "--workers", "0"],
            env={**os.environ, **new_database()},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert run.returncode == 2
    assert f"port {port} is in use here" in run.stderr
    assert "--port" in run.stderr
    assert "The portal is at" not in run.stdout
