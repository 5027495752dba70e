"""A portal with a real Redis and real workers elsewhere: whatever dies, each submission is graded once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attest.conftest import RIGHT
from tests.cluster.conftest import KEY, Cluster, attest_command, broker, cluster, keep_killing
from tests.portal.running import Browser, Portal, new_database, wait_for
from tests.portal.test_backup import attest
from tests.portal.test_serving import (
    PASSWORD,
    course_with_roster,
    first_administrator,
    hand_in,
    is_graded,
    needs_sandbox,
    student,
)

__all__ = ["attest_command", "broker", "cluster"]

pytestmark = needs_sandbox
SLOW = "import time\ntime.sleep(1)\n" + RIGHT


def path_of(address: str) -> str:
    return re.sub(r"http://[^/]+", "", address)


class Site:
    """A portal that has its submissions graded elsewhere, with an instructor and a student."""

    def __init__(self, cluster: Cluster, folder: Path, assignment: Path, *options: str) -> None:
        self.data = folder / "data"
        self.options = options
        self.env = {"ATTEST_BROKER": cluster.url, "ATTEST_CLUSTER_KEY": KEY, **new_database()}
        self.portal = Portal(self.data, *options, env=self.env)
        try:
            self.instructor = first_administrator(self.portal)
            address, link = course_with_roster(self.portal, self.instructor, assignment)
            self.assignment = path_of(address)
            self.lena = student(self.portal, link)
        except BaseException:
            self.portal.end()
            raise

    def again(self) -> None:
        """Start the portal once more, after it was killed."""
        self.portal = Portal(self.data, *self.options, env=self.env)
        self.lena = Browser(self.portal)
        self.lena.post("/sign-in/", {"email": "lena@example.edu", "password": PASSWORD})
        self.instructor = Browser(self.portal)
        self.instructor.post("/sign-in/", {"email": "ada@example.edu", "password": PASSWORD})

    def hand_in(self, text: str) -> str:
        """Return the path of the receipt."""
        return path_of(hand_in(self.lena, self.assignment, text))

    def wait_until_graded(self, *receipts: str) -> None:
        for receipt in receipts:
            wait_for(lambda path=receipt: is_graded(self.lena, path), 180, self.portal.said)

    def said_to_instructor(self) -> str:
        return self.instructor.get(f"{self.assignment}dashboard/").text

    def results(self) -> list[tuple[int, int]]:
        """How many Results each submission has."""
        found = self.portal.rows("select submission_id, count(*) from grading_graded group by 1 order by 1")
        return [(int(one), int(count)) for one, count in found]


@pytest.fixture
def site(cluster: Cluster, tmp_path: Path, doubling_folder: Path) -> Iterator[Site]:
    made = Site(cluster, tmp_path, doubling_folder)
    yield made
    made.portal.end()


def test_killed_workers_and_a_killed_portal_lose_nothing_and_grade_nothing_twice(
    site: Site, cluster: Cluster
) -> None:
    receipts = [site.hand_in(f"{SLOW}# {number}\n") for number in range(4)]
    assert site.portal.workers() == []  # nobody grades here
    wait_for(lambda: "No worker has been heard of" in site.said_to_instructor(), 90, site.portal.said)
    assert "In the queue; 2 submissions are graded before it." in site.lena.get(receipts[2]).text
    first = cluster.worker()
    wait_for(lambda: "being graded" in site.lena.get(receipts[0]).text, 60, site.portal.said)
    assert "No worker has been heard of" not in site.lena.get(receipts[0]).text
    first.kill()
    cluster.worker()
    site.portal.kill()
    site.again()
    site.wait_until_graded(*receipts)

    assert site.results() == [(number, 1) for number in range(1, 5)]
    assert "5<span> of 5 points" in site.lena.get(receipts[3]).text
    known = site.hand_in(f"{SLOW}# 3\n")  # what is known already is not sent
    site.wait_until_graded(known)
    assert site.portal.rows("select count(*) from grading_graded where taken_from_id is not null") == [(1,)]
    assert len(re.findall(r"graded in", "".join(one.said for one in cluster.workers))) <= 5


def test_a_broker_that_is_lost_with_all_that_was_in_it_loses_no_submission(
    site: Site, cluster: Cluster
) -> None:
    worker = cluster.worker()
    before = [site.hand_in(f"{SLOW}# {number}\n") for number in range(3)]
    wait_for(lambda: "being graded" in site.lena.get(before[0]).text, 60, site.portal.said)
    cluster.broker.stop()
    meanwhile = site.hand_in(f"{SLOW}# while it is away\n")  # received all the same
    wait_for(lambda: "as soon as it is there again" in site.said_to_instructor(), 60, site.portal.said)
    assert "redis://" in site.said_to_instructor()
    cluster.broker.start()
    site.wait_until_graded(*before, meanwhile)

    assert site.results() == [(number, 1) for number in range(1, 5)]
    assert worker.process.poll() is None


def test_a_submission_that_kills_its_grader_three_times_is_given_up_and_the_others_are_graded(
    site: Site, cluster: Cluster
) -> None:
    worker = cluster.worker()
    receipt = site.hand_in("import time\ntime.sleep(20)\n" + RIGHT)

    def given_up() -> bool:
        return "through no fault of yours" in site.lena.get(receipt).text

    assert keep_killing(worker.seats, given_up) == 3
    assert "SIGKILL" in site.said_to_instructor()
    site.wait_until_graded(site.hand_in(RIGHT))
    assert site.results() == [(2, 1)]


def test_a_worker_that_would_grade_otherwise_is_named_to_the_instructor(
    cluster: Cluster, tmp_path: Path, doubling_folder: Path
) -> None:
    site = Site(cluster, tmp_path, doubling_folder, "--sandbox", "docker")
    try:
        cluster.worker()
        receipt = site.hand_in(RIGHT)
        wait_for(lambda: "refuses" in site.said_to_instructor(), 60, site.portal.said)
        said = site.said_to_instructor()
        assert "its sandbox is bubblewrap, and docker is asked for. Give both the same --sandbox." in said
        assert "In the queue" in site.lena.get(receipt).text
        assert "sandbox" not in site.lena.get(receipt).text
    finally:
        site.portal.end()


def test_large_files_go_by_the_store_and_are_removed_from_it(
    cluster: Cluster, tmp_path: Path, doubling_folder: Path
) -> None:
    store = tmp_path / "store"
    site = Site(cluster, tmp_path, doubling_folder, "--store", f"file://{store}")
    try:
        cluster.worker("--store", f"file://{store}")
        receipt = site.hand_in(RIGHT + "# " + "noise " * 100_000 + "\n")
        site.wait_until_graded(receipt)

        def left() -> list[str]:
            return [path.parent.name for path in store.rglob("*") if path.is_file()]

        wait_for(lambda: left() == ["assignments"], 60, lambda: str(left()))
    finally:
        site.portal.end()


def test_a_broker_that_cannot_be_one_is_a_sentence_before_anything_starts(tmp_path: Path) -> None:
    run = attest(tmp_path, "serve", "--broker", "http://example.edu", env={})

    assert run.returncode == 2
    assert "expected the URL of a Redis or RabbitMQ" in run.stderr
    assert not (tmp_path / "attest-portal").exists()
