"""Who shares code with whom is found in the background, and looked at by instructors alone."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Membership, Role
from attest.portal.errands import line
from attest.portal.errands.models import Errand
from attest.portal.errands.process import do_all
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.likeness.comparing import compare_cohort
from attest.portal.likeness.models import CohortComparison, DismissedPair, LikePair
from attest.portal.people.models import Person
from tests.portal.school import School, keep_result, make_person
from tests.portal.test_own_data import exported

BODY = "\n".join(f"    r{n} = self.w{n}(x) * {n} + y.mean(dim={n})" for n in range(12))
THEIRS = f"import torch\ndef double(x, y):\n{BODY}\n    return r1\n"
HIDING = f"# <script>alert(1)</script>\ndef twice(a, b):\n{BODY}\n"


def hand_in(school: School, person: Person, text: str) -> Submission:
    return take(school.assignment, person, [("double.py", text.encode())])


def compare(school: School) -> str:
    """Ask for a comparison, do the errand, and return the page."""
    browser = school.browser(school.instructor)
    path = f"/assignments/{school.assignment.pk}/likeness/"
    browser.post(path)
    do_all({Errand.Kind.LIKENESS: compare_cohort})
    return browser.get(path).content.decode()


@pytest.fixture
def alike(school: School) -> tuple[Person, Person, Person]:
    """Two who share code, and one who shares it with neither."""
    people = [make_person(name) for name in ("lena", "omar", "priya")]
    for person in people:
        Membership.objects.create(course=school.course, person=person, role=Role.STUDENT)
    for person, text in zip(people, (THEIRS, HIDING, "def double(x):\n    return x.mean()\n"), strict=True):
        hand_in(school, person, text)
    return people[0], people[1], people[2]


def test_pairs_are_found_and_shown_side_by_side(school: School, alike: tuple[Person, Person, Person]) -> None:
    take(school.assignment, school.classmate, [("answers.md", b"I could not do it.")])

    text = compare(school)

    pair = LikePair.objects.get()
    assert {pair.first.person, pair.second.person} == set(alike[:2])
    assert pair.likeness > 0.5
    assert "4 submissions compared" in text
    assert f'href="/like-pairs/{pair.pk}/"' in text
    assert "Classmate</bdi></a>: It holds no code." in text
    shown = school.browser(school.instructor).get(f"/like-pairs/{pair.pk}/").content.decode()
    assert shown.count('class="shared"') >= 24
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert Entry.objects.get(action="compared").who == school.instructor.pk


def test_of_each_student_the_attempt_that_counts_is_compared(
    school: School, alike: tuple[Person, Person, Person]
) -> None:
    lena = alike[0]
    keep_result(lena.submissions.get(), (0, 0))
    better = hand_in(school, lena, "def double(x):\n    return x * 2\n")
    keep_result(better, (2, 3))

    compare(school)

    assert not LikePair.objects.exists()


def test_a_pair_that_is_let_be_stays_so_with_its_reason_and_can_be_taken_up_again(
    school: School, alike: tuple[Person, Person, Person]
) -> None:
    compare(school)
    browser = school.browser(school.instructor)
    path = f"/like-pairs/{LikePair.objects.get().pk}/"
    assert browser.post(path, {"what": "dismiss", "why": ""}).status_code == 400
    assert not DismissedPair.objects.exists()

    browser.post(path, {"what": "dismiss", "why": "They worked together, as was allowed."})
    hand_in(school, alike[1], HIDING + "# and another\n")
    text = compare(school)

    assert "No two submissions besides those below" in text
    assert "They worked together, as was allowed." in text
    assert CohortComparison.objects.count() == 2
    entry = Entry.objects.get(action="pair dismissed")
    assert entry.why == "They worked together, as was allowed."
    newer = f"/like-pairs/{LikePair.objects.latest('pk').pk}/"
    browser.post(newer, {"what": "take-back", "why": "Another has come."})
    assert (
        "besides those below"
        not in browser.get(f"/assignments/{school.assignment.pk}/likeness/").content.decode()
    )
    assert Entry.objects.filter(action="pair taken up again").exists()


def test_who_is_forgotten_is_in_no_pair(school: School, alike: tuple[Person, Person, Person]) -> None:
    compare(school)
    pair = LikePair.objects.get()
    browser = school.browser(school.instructor)
    browser.post(f"/like-pairs/{pair.pk}/", {"what": "dismiss", "why": "Looked at."})
    asked = {"what": "forget", "why": "asked for it", "email": alike[0].email}
    school.browser(school.administrator).post(f"/people/{alike[0].pk}/", asked)

    assert not LikePair.objects.exists()
    assert not DismissedPair.objects.exists()
    text = browser.get(f"/assignments/{school.assignment.pk}/likeness/").content.decode()
    assert "No two submissions share" in text


def test_what_an_errand_cannot_do_is_said(school: School, alike: tuple[Person, Person, Person]) -> None:
    type(school.assignment).objects.update(folder="/no/such/folder")

    assert "came to nothing" in compare(school)
    assert "/no/such/folder" in compare(school)


def test_an_errand_is_claimed_by_one_and_again_when_that_one_has_died(school: School) -> None:
    errand = Errand.objects.create(kind=Errand.Kind.LIKENESS)
    for tries in (1, 2, 3):
        who = f"process {tries}"
        claimed = line.claim(who)
        assert claimed == errand
        assert line.claim("another") is None
        assert line.prolong(errand, who)
        Errand.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert line.claim("a fourth") is None
    errand.refresh_from_db()
    assert (errand.state, errand.tries) == (Errand.State.FAILED, 3)
    assert "each time the process that did it died" in errand.trouble
    assert not line.finish(errand, "process 3")


def test_what_is_known_of_somebodys_own_code_is_theirs_without_who_the_other_is(
    school: School, alike: tuple[Person, Person, Person]
) -> None:
    compare(school)

    about = exported(alike[0])["person.json"].decode()

    (found,) = json.loads(about)["likeness"]
    assert found["submission"] == alike[0].submissions.get().pk
    assert found["likeness"] > 0.5
    assert "omar" not in about
