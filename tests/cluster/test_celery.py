"""A run on workers comes to what a local run does, whatever happens to workers, command and broker."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from graders.output import RunInfo
from graders.result import Status, read_result
from tests.attest.conftest import RIGHT
from tests.attest.processes import alive, descendants, wait_for
from tests.cluster.conftest import Cluster, keep_killing
from tests.faults.cohorts import STUDENTS, Place, place

ROOT = Path(__file__).resolve().parents[2]
SLOW = {f"slow{number}": f"import time\ntime.sleep(0.8)\n{RIGHT}" for number in range(4)}


@pytest.fixture
def here(tmp_path: Path) -> Place:
    """The cohort of the faults' tests, and some who take their time."""
    made = place(tmp_path / "run")
    for student, source in SLOW.items():
        (made.folder / "cohort" / f"{student}.py").write_text(source)
    return made


def asked(here: Place, *more: str) -> list[str]:
    """The arguments of `attest grade` for the cohort."""
    return here.command([], *more)[1:]


def local(here: Place, program: list[str]) -> dict[str, object]:
    """What a local run comes to."""
    status, said = here.run(program)
    assert status == 0, said
    found = here.whole()
    shutil.rmtree(here.out)
    return found


def graded_jobs(cluster: Cluster) -> list[str]:
    """The students whose work the workers have graded, as often as they did."""
    return [name for worker in cluster.workers for name in re.findall(r"\((\S+)\) graded in", worker.said)]


def test_two_workers_of_which_one_is_killed_come_to_what_a_local_run_does(
    cluster: Cluster, here: Place
) -> None:
    for (
        student,
        source,
    ) in SLOW.items():  # slower still: one is to be killed in the middle
        (here.folder / "cohort" / f"{student}.py").write_text(source.replace("0.8", "5"))
    expected = local(here, cluster.program)
    assert set(expected) == {*STUDENTS, *SLOW}
    first, _second = cluster.worker(), cluster.worker()
    process = cluster.start(*asked(here))
    wait_for(lambda: "[6/10]" in cluster.said.read_text())
    wait_for(lambda: cluster.held() == 2)
    family = descendants(first.process.pid)
    first.kill()
    assert process.wait(120) == 0, cluster.said.read_text()
    assert re.search(r"slow\d: handed out again, since worker \S+ was not heard of", cluster.said.read_text())
    assert here.whole() == expected
    assert set(graded_jobs(cluster)) == set(expected)
    assert (here.out / "reports" / "ada.html").is_file()
    held = b"attest.unacked.jobs"  # what the killed one had, until Redis gives it up
    assert {key.removesuffix(b".index") for key in cluster.left_over()} == {held}
    assert not here.left_over()
    assert not (here.out / "cluster.jsonl").exists()
    wait_for(lambda: not any(map(alive, family)), 15)


def test_a_submission_that_kills_its_grader_is_tried_three_times_and_reported(
    cluster: Cluster, here: Place
) -> None:
    for path in (here.folder / "cohort").iterdir():
        path.unlink()
    (here.folder / "cohort" / "poison.py").write_text(RIGHT)
    worker = cluster.worker()
    process = cluster.start(*asked(here))
    assert keep_killing(worker.seats, lambda: process.poll() is not None) == 3
    said = cluster.said.read_text()
    assert process.returncode == 1
    assert "Not graded: poison." in said
    result = read_result(here.out / "results" / "poison.json")
    assert result.status is Status.NOT_GRADED
    assert result.internal is not None
    assert result.internal.startswith("Tried 3 times. 1: worker ")
    assert result.internal.count("SIGKILL") == 3
    assert result.points == result.max_points == 0

    status, said = cluster.run(*asked(here))  # the worker is none the worse
    assert status == 0, said
    assert read_result(here.out / "results" / "poison.json").points == 5


def test_a_regrade_of_what_workers_graded_goes_to_workers(cluster: Cluster, here: Place) -> None:
    worker = cluster.worker()
    status, said = cluster.run(*asked(here))
    assert status == 0, said
    once = graded_jobs(cluster)
    process = cluster.begin("regrade", here.out, "--seed", "5")
    assert process.wait(120) == 0, cluster.said.read_text()
    said = cluster.said.read_text()
    assert f"by workers at {cluster.url}" in " ".join(said.split())
    assert sorted(graded_jobs(cluster)) == sorted(once * 2)
    assert RunInfo.model_validate_json((here.out / "regrade" / "run.json").read_bytes()).engine == "celery"
    assert worker.end() == 0


def test_a_killed_command_is_gone_on_with_and_nothing_is_graded_twice(cluster: Cluster, here: Place) -> None:
    expected = local(here, cluster.program)
    cluster.worker("--jobs", "2")
    process = cluster.start(*asked(here)[:-2])  # without --jobs: the workers have everything
    wait_for(lambda: len(graded_jobs(cluster)) >= 2)
    process.kill()
    process.wait()
    before = set(here.whole())
    wait_for(lambda: len(graded_jobs(cluster)) == len(expected))  # by nobody but the workers
    status, said = cluster.run(*asked(here))
    assert status == 0, said
    assert here.whole() == expected
    assert len(before) < len(expected)
    assert sorted(graded_jobs(cluster)) == sorted(expected)
    assert cluster.left_over() == []


def test_ctrl_c_finishes_what_workers_have_in_hand(cluster: Cluster, here: Place) -> None:
    cluster.worker()
    process = cluster.start(*asked(here))
    wait_for(lambda: "[2/10]" in cluster.said.read_text())
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    said = cluster.said.read_text()
    done = len(here.whole())
    assert 2 <= done < 10
    assert f"Stopped with {10 - done} submissions still to grade" in said
    wait_for(lambda: cluster.left_over() == [], 30)
    assert len(graded_jobs(cluster)) == done  # the others were dropped
    status, said = cluster.run(*asked(here))
    assert status == 0, said
    assert sorted(graded_jobs(cluster)) == sorted({*STUDENTS, *SLOW})


def test_a_worker_finishes_what_it_holds_when_it_is_ended(cluster: Cluster, here: Place) -> None:
    first = cluster.worker()
    process = cluster.start(*asked(here))
    wait_for(lambda: "[6/10]" in cluster.said.read_text())
    wait_for(lambda: cluster.held() == 1)
    assert first.end() == 0
    assert "SIGTERM: ending" in first.said
    assert "has ended" in first.said
    cluster.worker()
    assert process.wait(120) == 0, cluster.said.read_text()
    assert "handed out again" not in cluster.said.read_text()
    assert sorted(graded_jobs(cluster)) == sorted({*STUDENTS, *SLOW})


def test_a_broker_that_dies_and_forgets_everything_costs_nobody_anything(
    cluster: Cluster, here: Place
) -> None:
    expected = local(here, cluster.program)
    cluster.worker()
    process = cluster.start(*asked(here))
    wait_for(lambda: "[1/10]" in cluster.said.read_text())
    cluster.broker.stop()
    wait_for(lambda: "Waiting for it" in cluster.said.read_text())
    cluster.broker.start()
    assert process.wait(120) == 0, cluster.said.read_text()
    assert "The broker is there again." in cluster.said.read_text()
    assert here.whole() == expected


def test_large_submissions_travel_by_the_store_and_wait_for_a_worker(
    cluster: Cluster, here: Place, tmp_path: Path
) -> None:
    noise = os.urandom(300_000).hex()
    (here.folder / "cohort" / "large.py").write_text(f"{RIGHT}# {noise}\n")
    expected = local(here, cluster.program)
    store = tmp_path / "store"
    options = ("--store", f"file://{store}")
    process = cluster.start(*asked(here, *options))
    wait_for(lambda: "No worker has taken anything" in cluster.said.read_text())
    assert not here.out.exists() or not list(here.out.iterdir())  # nothing was begun
    # Two at a time, so large's is not among the first.
    cluster.worker(*options)
    largest = 0
    while process.poll() is None:
        sizes = [path.stat().st_size for path in store.glob("runs/*/*") if path.exists()]
        largest = max(largest, *sizes, 0)
        queued = cluster.database.lrange("attest.cpu", 0, -1)
        assert all(len(message) < 300_000 for message in queued)
        time.sleep(0.01)
    assert process.returncode == 0, cluster.said.read_text()
    assert largest > 500_000
    assert here.whole() == expected
    assert [path.parent.name for path in store.glob("*/*")] == ["assignments"]


def test_a_worker_with_other_code_refuses_and_is_named(cluster: Cluster, here: Place, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for package in ("assignments", "attest", "graders", "reference", "reports", "sandbox"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "graders" / "checks.py").open("a") as file:
        file.write("# another state of the same version\n")
    cluster.worker(PYTHONPATH=str(other))
    status, said = cluster.run(*asked(here))
    assert status == 2
    assert "no worker grades this run" in said
    assert re.search(r"its code of Attest is [0-9a-f]{12}, and [0-9a-f]{12} is asked for", said)
    assert "Install the same Attest in both places" in said
    assert not here.out.exists()
    assert graded_jobs(cluster) == []


def test_a_worker_with_another_key_grades_nothing(cluster: Cluster, here: Place) -> None:
    cluster.worker(ATTEST_CLUSTER_KEY="the key of somebody else")
    status, said = cluster.run(*asked(here))
    assert status == 2
    assert "it has another ATTEST_CLUSTER_KEY, or none" in said
    assert not here.out.exists()
    assert graded_jobs(cluster) == []
