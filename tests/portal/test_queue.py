"""Jobs are claimed for a while, given back, and finished once, whoever asks in which order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.grading import answers, queue
from attest.portal.grading.models import Job
from attest.portal.grading.progress import steps_of
from attest.portal.handing_in.taking import take
from graders.cluster.letters import Beat
from tests.attest.conftest import RIGHT, WRONG
from tests.portal.school import School, make_school


def let_the_lease_run_out(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_job_is_claimed_by_one(school: School) -> None:
    assert queue.claim("first") is not None
    assert queue.claim("second") is None


def test_a_job_can_be_claimed_by_its_number(school: School) -> None:
    take(school.assignment, school.classmate, [("double.py", WRONG.encode())])
    later = Job.objects.last()
    assert later is not None

    assert queue.claim("first", job_id=later.pk) == later
    assert queue.claim("second", job_id=later.pk) is None


def test_whose_lease_has_run_out_has_lost_the_job(school: School) -> None:
    job = queue.claim("killed")
    assert job is not None
    let_the_lease_run_out(job)

    again = queue.claim("another")

    assert again == job
    assert not queue.prolong(job, "killed")
    assert not queue.finish(job, "killed")
    assert queue.finish(job, "another")
    assert not queue.finish(job, "another")


def test_a_worker_that_is_known_to_be_dead_holds_nothing(school: School) -> None:
    queue.claim("host:17:abc")

    assert queue.release("host:1:") == 0
    assert queue.release("host:17:") == 1
    assert queue.claim("another") is not None


def test_a_job_that_was_given_back_waits_a_little_and_says_why(school: School) -> None:
    job = queue.claim("first")
    assert job is not None

    queue.give_back(job, "first", "The sandbox does not start.", untried=True)

    job.refresh_from_db()
    assert (job.state, job.tries, job.trouble) == (Job.State.QUEUED, 0, "The sandbox does not start.")
    assert queue.claim("first") is None
    let_the_lease_run_out(job)
    assert queue.claim("first") == job


def test_a_job_that_fails_three_times_is_given_up_and_reported(school: School) -> None:
    for _ in range(queue.MOST_TRIES):
        job = queue.claim("unlucky")
        assert job is not None
        let_the_lease_run_out(job)
    assert queue.claim("unlucky") is None

    (worn,) = queue.worn_out()
    assert queue.give_up(worn)
    assert not queue.give_up(worn)

    worn.refresh_from_db()
    assert worn.state == Job.State.POISONED
    assert Entry.objects.get(action="given up").subject == f"submission {school.submission.pk}"
    page = school.browser(school.student).get(f"/submissions/{school.submission.pk}/").content.decode()
    assert "through no fault of yours" in page


def test_new_submissions_go_before_what_is_graded_again(school: School) -> None:
    first = queue.claim("worker")
    assert first is not None
    assert queue.finish(first, "worker")
    again = queue.enqueue(school.submission, by=school.instructor, again=True)
    take(school.assignment, school.classmate, [("double.py", WRONG.encode())])
    new = Job.objects.get(submission__person=school.classmate)

    steps = steps_of([new.submission_id, again.submission_id])
    assert [steps[one.submission_id].ahead for one in (new, again)] == [0, 1]
    assert queue.claim("worker") == new
    assert again.seed == first.seed


@pytest.mark.django_db(transaction=True)
def test_of_many_who_claim_at_once_each_gets_another_job(doubling_folder: object) -> None:
    school = make_school(doubling_folder)  # type: ignore[arg-type]
    for number in range(7):
        take(school.assignment, school.classmate, [("double.py", f"{RIGHT}# {number}\n".encode())])
    claimed: list[int] = []

    def claim_until_none(name: str) -> None:
        while (job := queue.claim(name)) is not None:
            claimed.append(job.pk)

    run_at_once([lambda name=f"worker {n}": claim_until_none(name) for n in range(4)])

    assert len(claimed) == len(set(claimed)) == 8


def run_at_once(works: list[Callable[[], None]]) -> None:
    """Run each in a thread with a connection of its own."""

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_what_lies_in_a_broker_is_claimed_by_nobody_here_and_taken_once(school: School) -> None:
    job = queue.claim("dispatcher")
    assert job is not None
    assert queue.hand_over(job, "dispatcher")
    assert not queue.hand_over(job, "dispatcher")

    assert queue.claim("local") is None
    assert queue.taken(job.pk, "broker one", 1) is not None
    assert queue.taken(job.pk, "broker two", 1) is None  # the same letter came twice
    assert queue.prolong(job, "broker one")
    let_the_lease_run_out(job)
    again = queue.claim("dispatcher")
    assert again is not None
    assert again.tries == 2
    assert queue.hand_over(again, "dispatcher")
    assert queue.taken(job.pk, "broker one", 1) is None  # of the try before
    assert queue.taken(job.pk, "broker two", 2) is not None


def test_of_two_workers_that_graded_the_same_the_first_answer_counts(school: School) -> None:
    job = queue.claim("dispatcher")
    assert job is not None
    queue.hand_over(job, "dispatcher")

    first = queue.take_over(job.pk, "broker one")
    assert first == job
    assert queue.finish(first, "broker one")

    assert queue.take_over(job.pk, "broker two") is None


def test_what_a_broker_has_lost_waits_again_and_costs_no_try(school: School) -> None:
    job = queue.claim("dispatcher")
    assert job is not None
    queue.hand_over(job, "dispatcher")
    before = timezone.now()

    assert queue.lost(queue.at_broker().filter(claimed_at__lt=before - timedelta(minutes=1))) == 0
    assert queue.lost(queue.at_broker().filter(claimed_at__lt=before)) == 1

    again = queue.claim("dispatcher")
    assert again is not None
    assert again.tries == 1


def test_what_is_graded_again_can_be_left_for_later(school: School) -> None:
    first = queue.claim("worker")
    assert first is not None
    queue.finish(first, "worker")
    again = queue.enqueue(school.submission, by=school.instructor, again=True)

    assert queue.claim("worker", only_new=True) is None
    assert queue.claim("worker") == again


def test_a_worker_at_the_broker_says_how_far_it_is(school: School) -> None:
    job = queue.claim("dispatcher")
    assert job is not None
    queue.hand_over(job, "dispatcher")
    queue.taken(job.pk, answers.in_whose_name("far/17"), 1)

    answers.lives(Beat(answers.job_name(job.pk), 1, "far/17", (("It has a\0 NUL.", "passed"),), 2))
    answers.lives(Beat(answers.job_name(job.pk), 1, "another", (("It is another's.", "failed"),), 2))

    step = steps_of([job.submission_id])[job.submission_id]
    assert step.counted == "1 of 2 checks have run."
    assert [title for title, _ in step.checks] == ["It has a_ NUL."]
    assert answers.job_number("no name") == answers.job_number("f" * 24) == 0
