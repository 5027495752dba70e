"""A class is accepted behind the page: whatever dies when, each student is as before or as accepted, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Membership, Role
from attest.portal.errands import line
from attest.portal.errands.models import Errand
from attest.portal.grading.models import Graded
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.regrading import accepting
from attest.portal.regrading.accepting import accept, bring_into_force, counted
from attest.portal.regrading.models import Acceptance, Regrade, RegradedAttempt
from tests.portal.school import School, keep_result, make_person
from tests.portal.test_grading_again import ask, do_errands, page_of, points

CLASS = 5


class Killed(BaseException):
    """What a process that is killed does not come back from."""


@pytest.fixture
def regrade(school: School, monkeypatch: pytest.MonkeyPatch) -> Regrade:
    """A regrade of a class that gives everybody three points more; two students go at once."""
    monkeypatch.setattr(accepting, "AT_ONCE", 2)
    keep_result(school.submission, (0, 0))
    for number in range(CLASS - 1):
        person = make_person(f"s{number}")
        Membership.objects.create(course=school.course, person=person, role=Role.STUDENT)
        keep_result(take(school.assignment, person, [("double.py", f"x = {number}\n".encode())]), (0, 0))
    made = ask(school)
    for submission in Submission.objects.all():
        keep_result(submission, (0, 3))
    return made


def now() -> list[float | None]:
    """What everybody has."""
    return [points(one) for one in Submission.objects.order_by("pk")]


def noted() -> list[int | None]:
    """Whose points changed, by the trail."""
    entries = Entry.objects.filter(action="regrade accepted", subject__startswith="submission")
    return sorted(entries.values_list("whom", flat=True))


def decide(school: School, regrade: Regrade, **fields: object) -> str:
    browser = school.browser(school.instructor)
    return browser.post(f"/regrades/{regrade.pk}/", fields, follow=True).content.decode()


def is_free_again() -> None:
    """The process that had it gives no sign of life for long enough."""
    Errand.objects.filter(state=Errand.State.RUNNING).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )


def test_the_page_says_how_far_it_is(school: School, regrade: Regrade) -> None:
    text = decide(school, regrade, what="accept-all")

    assert "It is being accepted: it counts for 0 of 5 students by now." in text
    assert "<button" not in text.partition("<h1>")[2]
    assert now() == [0] * CLASS
    errand = line.claim("somebody")
    assert errand is not None
    assert accepting._bring_some_into_force(Acceptance.objects.get(), errand, "somebody")
    assert "it counts for 2 of 5 students by now." in page_of(school, regrade)
    assert sorted(now()) == [0, 0, 0, 3, 3]  # type: ignore[type-var]
    is_free_again()
    do_errands()

    text = page_of(school, regrade)
    assert "5 accepted" in text
    assert "being accepted" not in text
    assert now() == [3] * CLASS
    assert len(noted()) == CLASS
    assert Entry.objects.get(action="regrade accepted", subject__startswith="assignment").after == {
        "students": CLASS
    }


@pytest.mark.parametrize("step", range(1, 2 * CLASS + 1))
def test_who_is_killed_in_the_middle_leaves_everybody_old_or_new_and_it_is_done_once(
    school: School, regrade: Regrade, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    accept(regrade, school.instructor)
    steps = iter(range(1, 1000))

    def die(*_: object, **__: object) -> None:
        if next(steps) == step:
            raise Killed

    with monkeypatch.context() as dying:
        for name in ("note", "prolong", "settle"):
            kept = getattr(accepting, name)
            dying.setattr(
                accepting, name, lambda *given, _kept=kept, **named: (die(), _kept(*given, **named))[1]
            )
        with pytest.raises(Killed):
            do_errands()
        while next(steps, 1000) < step:
            pass
    half = now()
    assert set(half) <= {0, 3}
    assert half.count(3) == RegradedAttempt.objects.filter(decision="accepted").count() == len(noted())
    assert Errand.objects.get(kind="acceptance").state == Errand.State.RUNNING
    assert "being accepted" in page_of(school, regrade)
    is_free_again()

    do_errands()

    assert now() == [3] * CLASS
    assert noted() == sorted(Submission.objects.values_list("person", flat=True))
    assert Graded.objects.filter(stands=True).count() == CLASS
    regrade.refresh_from_db()
    assert regrade.settled_at is not None
    assert Errand.objects.get(kind="acceptance").state == Errand.State.DONE


def test_who_was_slow_and_has_lost_it_does_nothing_more(school: School, regrade: Regrade) -> None:
    accept(regrade, school.instructor)
    slow = line.claim("slow")
    assert slow is not None
    accepting._bring_some_into_force(Acceptance.objects.get(), slow, "slow")
    is_free_again()
    assert line.claim("quick") is not None

    bring_into_force(slow, "slow")

    assert sorted(now()) == [0, 0, 0, 3, 3]  # type: ignore[type-var]


def test_what_died_too_often_is_said_and_can_be_accepted_again(school: School, regrade: Regrade) -> None:
    accept(regrade, school.instructor)
    errand = line.claim("first")
    assert errand is not None
    accepting._bring_some_into_force(Acceptance.objects.get(), errand, "first")
    Errand.objects.update(tries=line.MOST_TRIES)
    is_free_again()
    do_errands()

    text = page_of(school, regrade)
    assert "It was not accepted for everybody" in text
    assert "It was tried 3 times" in text
    assert "Accepted by now</dt><dd>2 attempts" in text
    decide(school, regrade, what="accept-all")
    assert counted(Acceptance.objects.latest("pk")).students == 3
    do_errands()

    assert now() == [3] * CLASS
    assert len(noted()) == CLASS


def test_nothing_else_is_decided_meanwhile(school: School, regrade: Regrade) -> None:
    decide(school, regrade, what="accept", person=[str(school.student.pk)])

    for what in ("discard", "accept-all", "accept"):
        text = decide(school, regrade, what=what, person=[str(school.student.pk)])
        assert "It is being accepted just now" in text
    do_errands()

    assert now() == [3, 0, 0, 0, 0]
    assert Acceptance.objects.count() == 1
    assert not RegradedAttempt.objects.filter(decision="discarded").exists()


def test_what_is_graded_after_the_decision_is_not_part_of_it(school: School) -> None:
    keep_result(school.submission, (0, 0))
    other = take(school.assignment, school.classmate, [("double.py", b"x = 1\n")])
    keep_result(other, (0, 0))
    regrade = ask(school)
    keep_result(school.submission, (0, 3))
    assert accept(regrade, school.instructor) == 1
    keep_result(other, (0, 3))  # before anybody has done the errand

    do_errands()

    assert (points(school.submission), points(other)) == (3, 0)
    assert "1 of 1 student changes" in page_of(school, regrade)


def test_nothing_is_accepted_where_nothing_is_ready(school: School) -> None:
    keep_result(school.submission, (0, 0))
    regrade = ask(school)

    assert "There is nothing to accept." in decide(school, regrade, what="accept-all")
    assert not Errand.objects.exists()


def test_an_acceptance_waits_for_no_longer_errand(school: School, regrade: Regrade) -> None:
    Errand.objects.create(kind=Errand.Kind.VALIDATION)
    accept(regrade, school.instructor)

    do_errands()

    assert now() == [3] * CLASS
    assert Errand.objects.get(kind="validation").state == Errand.State.WAITING
