"""An errand that was cut off begins again at once where its process is known to be gone; otherwise once its
lease is over."""

from __future__ import annotations

import os
import subprocess
import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from attest.portal import serving
from attest.portal.errands import line
from attest.portal.errands.models import Errand
from attest.portal.grading import queue
from attest.portal.grading.models import Job
from attest.portal.processes import gone, name_of
from tests.portal.school import School


@pytest.fixture
def dead() -> str:
    """The name under which a process claimed that was killed."""
    process = subprocess.Popen(["sleep", "60"])
    process.kill()
    process.wait()
    return name_of(process.pid) + "1234"


ALIVE = name_of(os.getpid()) + "1234"


def had_by(who: str) -> Errand:
    Errand.objects.create(kind=Errand.Kind.ACCEPTANCE)
    errand = line.claim(who)
    assert errand is not None
    return errand


def elsewhere(dead: str) -> list[str]:
    """The same number on another machine, and in another container of one that is called the same."""
    place, _, rest = dead.partition(":")
    return [f"elsewhere{place}:{rest}", f"{place}0:{rest}", f"{place.partition('/')[0]}:{rest}", "", "broker"]


def test_only_what_ended_here_is_known_to_be_gone(dead: str) -> None:
    assert gone([dead, ALIVE, *elsewhere(dead)]) == [dead]


def test_what_a_dead_process_had_is_free_at_once(db: None, dead: str) -> None:
    left = had_by(dead)
    kept = [had_by(who) for who in (ALIVE, *elsewhere(dead))]
    assert not line.free().exists()

    assert line.release_left() == 1

    assert [one.pk for one in line.free()] == [left.pk]
    again = line.claim(ALIVE)
    assert again is not None
    assert (again.pk, again.tries) == (left.pk, 2)
    assert Errand.objects.filter(pk__in=[one.pk for one in kept], lease_until__gt=timezone.now()).count() == 6
    assert not line.finish(left, dead)


def test_what_was_told_to_end_is_put_back_and_was_no_try(db: None) -> None:
    ended, other = had_by(ALIVE), had_by("somebody else")

    assert line.put_back(name_of(os.getpid())) == 1

    for errand in (ended, other):
        errand.refresh_from_db()
    assert (ended.state, ended.tries, ended.claimed_by) == (Errand.State.WAITING, 0, "")
    assert (other.state, other.tries) == (Errand.State.RUNNING, 1)


class Ended:
    """A process that has ended."""

    def __init__(self, returncode: int, pid: int = 0) -> None:
        self.returncode, self.pid = returncode, pid


def look(monkeypatch: pytest.MonkeyPatch, *codes: int) -> list[float]:
    """Look for errands, with processes that end so, the last because all ends; return what was waited for."""
    ending = threading.Event()
    left, waited = list(codes), []

    def run(command: list[str], _: threading.Event) -> Ended:
        claimed = line.claim(ALIVE)
        assert claimed is not None
        code = left.pop(0)
        if not left:
            ending.set()
        elif code:
            Errand.objects.update(lease_until=None)
        else:
            line.finish(claimed, ALIVE)
            Errand.objects.create(kind=Errand.Kind.ACCEPTANCE)
        return Ended(code, os.getpid())

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        assert len(waited) < 50
        return ending.is_set()

    monkeypatch.setattr(serving, "run_until", run)
    monkeypatch.setattr(serving, "close_old_connections", lambda: None)  # this test's own is still in use
    monkeypatch.setattr(ending, "wait", wait)
    serving.keep_looking_for_errands(ending, quick=True)
    return waited


def test_the_portal_begins_again_what_a_killed_process_had(
    db: None, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    had_by(dead)

    assert look(monkeypatch, -15) == [serving._LOOK_SECONDS] * 2  # it began at the first look

    ended = Errand.objects.get()
    assert (ended.state, ended.tries) == (Errand.State.WAITING, 1)  # that the portal ended is no try


def test_after_a_kill_the_next_try_comes_soon_and_later_each_time(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Errand.objects.create(kind=Errand.Kind.ACCEPTANCE)

    waited = [one for one in look(monkeypatch, -9, -9, 0, -9, -15) if one != serving._LOOK_SECONDS]

    assert waited == [2, 4, 2]


def test_what_a_killed_portals_workers_held_is_free_for_the_next_one(school: School, dead: str) -> None:
    job = queue.claim(dead)
    assert job is not None
    assert queue.claim(ALIVE) is None

    assert queue.release_left() == 1

    assert queue.claim(ALIVE) == job
    assert queue.release_left() == 0
    assert Job.objects.get(pk=job.pk).lease_until > timezone.now() + timedelta(seconds=1)
