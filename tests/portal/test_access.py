"""Every address × every role × somebody else's things: who is let in, and for whom it is not there."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from django.apps import apps
from django.urls import get_resolver, reverse

from attest.portal.errands.models import Errand
from attest.portal.likeness.models import CohortComparison, LikePair
from attest.portal.lms.models import Platform
from attest.portal.marking.models import Level, WrittenAnswer
from attest.portal.people.models import PersonalToken
from attest.portal.permissions import PLACES
from attest.portal.regrading.models import Regrade
from attest.portal.uploads.models import UploadedFolder
from tests.portal.linked import make_platform
from tests.portal.prose import WHY, keep_words, marking_things
from tests.portal.school import School

ROLES = ("nobody", "stranger", "classmate", "student", "grader", "instructor", "administrator")

# What each of ROLES is answered, GET, where the things named are the student's and of the student's course.
# "in" is any page of their own (200, or a redirect that is not to the sign-in), "sign-in" the page for that.
EVERYBODY = ("in",) * 7
SIGNED_IN = ("sign-in", *("in",) * 6)
COURSE = ("sign-in", "404", *("in",) * 5)  # whoever is in the course
OWN = ("sign-in", "404", "404", *("in",) * 4)  # whose it is, and who grades
GRADERS = ("sign-in", "404", "404", "404", *("in",) * 3)
INSTRUCTORS = ("sign-in", "404", "404", "404", "404", "in", "in")
ADMINISTRATORS = ("sign-in", *("404",) * 5, "in")
BY_TOKEN = ("401",) * 7  # a session is of no use there; see test_tokens.py
ABSENT = ("404",) * 7  # these need a secret in the address
REFUSED = ("400",) * 7  # these need what an LMS, or a page in its frame, sends

TABLE: Mapping[str, tuple[str, ...]] = {
    "courses": SIGNED_IN,
    "sign-in": EVERYBODY,
    "sign-out": SIGNED_IN,
    "first-administrator": ABSENT,
    "set-password": ABSENT,
    "me": SIGNED_IN,
    "tokens": SIGNED_IN,
    "export-me": SIGNED_IN,
    "people": ADMINISTRATORS,
    "person": ADMINISTRATORS,
    "export-person": ADMINISTRATORS,
    "whole-audit": ADMINISTRATORS,
    "remove-token": ("sign-in", *("404",) * 5, "in"),  # the token is the administrator's
    "api-hand-in": BY_TOKEN,
    "api-submission": BY_TOKEN,
    "new-course": ADMINISTRATORS,
    "course": COURSE,
    "roster": INSTRUCTORS,
    "new-assignment": INSTRUCTORS,
    "audit": INSTRUCTORS,
    "link": INSTRUCTORS,
    "links": INSTRUCTORS,
    "edit-course": INSTRUCTORS,
    "member": GRADERS,
    "edit-member": INSTRUCTORS,
    "new-member": INSTRUCTORS,
    "dashboard": GRADERS,
    "queue": GRADERS,
    "extensions": INSTRUCTORS,
    "release": INSTRUCTORS,
    "rules": INSTRUCTORS,
    "downloads": INSTRUCTORS,
    "grades": INSTRUCTORS,
    "reports-zip": INSTRUCTORS,
    "files-zip": INSTRUCTORS,
    "gradebook": INSTRUCTORS,
    "override": INSTRUCTORS,
    "points-without": INSTRUCTORS,
    "assignment": COURSE,
    "hand-in": COURSE,
    "handout": COURSE,
    "handout-file": COURSE,
    "submissions": GRADERS,
    "submission": OWN,
    "state": OWN,
    "events": OWN,
    "ask-for-regrade": OWN,
    "regrade-requests": GRADERS,
    "regrade-request": INSTRUCTORS,
    "regrade": INSTRUCTORS,
    "regrade-changes": INSTRUCTORS,
    "result-report": INSTRUCTORS,
    "adjustments": INSTRUCTORS,
    "lms-scores": INSTRUCTORS,
    "likeness": INSTRUCTORS,
    "like-pair": INSTRUCTORS,
    "uploads": INSTRUCTORS,
    "upload": INSTRUCTORS,
    "validation": INSTRUCTORS,
    "report": OWN,
    "marking": GRADERS,
    "marking-rules": INSTRUCTORS,
    "marking-blind": GRADERS,
    "marks": GRADERS,
    "marks-sheet": INSTRUCTORS,
    "agreement": GRADERS,
    "marking-rubric": GRADERS,
    "new-level": GRADERS,
    "level": GRADERS,
    "new-comment": GRADERS,
    "comment": GRADERS,
    "question": GRADERS,
    "next-answer": GRADERS,
    "alike": GRADERS,
    "answer": GRADERS,
    "mark": GRADERS,
    "file": OWN,
    "asset": ABSENT,
    "lti-login": REFUSED,
    "lti-launch": REFUSED,
    "lti-open": REFUSED,
    "lti-choose": REFUSED,
    "lti-kept": ABSENT,
    "lti-register": ABSENT,
    "lti-jwks": EVERYBODY,
    "platforms": ADMINISTRATORS,
    "new-platform": ADMINISTRATORS,
    "platform": ADMINISTRATORS,
    "course-lms": INSTRUCTORS,
    "health": EVERYBODY,
    "ready": EVERYBODY,
    "metrics": EVERYBODY,
}
WORDS = "It is added to itself."
PATTERNS = {pattern.name: pattern for pattern in get_resolver().url_patterns}


def arguments(school: School, name: str) -> dict[str, object]:
    """What the address names: always the student's, or their course's."""
    things = {
        "course_id": school.course.pk,
        "assignment_id": school.assignment.pk,
        "membership_id": school.membership.pk,
        "submission_id": school.submission.pk,
        "file_id": school.submission.files.get().pk,
        "regrade_request_id": school.regrade_request.pk,
        **marking_things(school),
        "exercise": "doubling",
        "regrade_id": _regrade(school),
        "like_pair_id": _like_pair(school),
        "uploaded_id": _uploaded(school),
        "graded_id": school.submission.results.values_list("pk", flat=True).first() or 0,
    }
    if name == "handout-file":
        things["name"] = "double.py"
    things["person_number"] = school.student.pk
    things["platform_number"] = _platform()
    if name == "remove-token":
        PersonalToken.issue(school.administrator, "laptop")
        things["token_number"] = PersonalToken.objects.get().pk
    wanted = PATTERNS[name].pattern.converters
    return {key: things.get(key, "guessed") for key in wanted}


def _regrade(school: School) -> int:
    """A regrade that somebody has decided of, so that another may be begun."""
    regrade, _ = Regrade.objects.get_or_create(
        assignment=school.assignment, which=Regrade.Which.ALL, settled_at=school.submission.received_at
    )
    return regrade.pk


def _like_pair(school: School) -> int:
    """A pair that the student is in."""
    errand, _ = Errand.objects.get_or_create(kind=Errand.Kind.LIKENESS, state=Errand.State.DONE)
    comparison, _ = CohortComparison.objects.get_or_create(assignment=school.assignment, errand=errand)
    lines = {"likeness": 0.5, "first_lines": [1], "second_lines": [1]}
    pair, _ = LikePair.objects.get_or_create(
        comparison=comparison, first=school.submission, second=school.submission, defaults=lines
    )
    return pair.pk


def _uploaded(school: School) -> int:
    """An assignment that was uploaded into the course, and validated."""
    errand, _ = Errand.objects.get_or_create(kind=Errand.Kind.VALIDATION, state=Errand.State.DONE)
    known = {"size": 1, "title": "Doubling", "max_points": 5, "passed": True, "report": "<p>passed</p>"}
    uploaded, _ = UploadedFolder.objects.get_or_create(
        course=school.course, digest="0" * 64, errand=errand, defaults=known
    )
    return uploaded.pk


def _platform() -> int:
    """An LMS that the portal is registered with."""
    return (Platform.objects.first() or make_platform()).pk


def test_every_address_has_a_line_in_the_table() -> None:
    assert set(PATTERNS) == set(TABLE)


def test_every_view_says_who_may_come_in() -> None:
    assert [name for name, pattern in PATTERNS.items() if not hasattr(pattern.callback, "rule")] == []


def test_every_number_in_an_address_is_looked_up_for_the_person_who_asks() -> None:
    named = {
        key
        for pattern in PATTERNS.values()
        for key, converter in pattern.pattern.converters.items()
        if type(converter).__name__ == "IntConverter"
    }
    assert named <= {
        *PLACES,
        "token_number",
        "person_number",
        "platform_number",
    }  # one's own, and an administrator's


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", TABLE)
def test_who_is_let_in(school: School, name: str, role: str) -> None:
    keep_words(school.submission, WORDS)
    browser = school.browser(None if role == "nobody" else getattr(school, role))

    answer = browser.get(reverse(name, kwargs=arguments(school, name)))

    if answer.status_code == 302 and answer["Location"].startswith(reverse("sign-in") + "?next="):
        found = "sign-in"
    elif answer.status_code in (200, 302):
        found = "in"
    else:
        found = str(answer.status_code)
    assert found == TABLE[name][ROLES.index(role)]


def everything() -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the portal's own."""
    ours = [one for one in apps.get_models() if one.__module__.startswith("attest.portal.")]
    return {one.__name__: list(one._default_manager.order_by("pk").values_list()) for one in ours}


@pytest.mark.parametrize("name", TABLE)
def test_who_may_not_look_may_not_send_either(school: School, name: str) -> None:
    keep_words(school.submission, WORDS, (0, 0))
    path = reverse(name, kwargs=arguments(school, name))
    check = school.regrade_request.check_id
    fields = {"title": "Taken over", "what": "link", "check": check, "sentence": "x", "why": "x"}
    fields |= {"item": WHY, "level": str(Level.objects.latest("pk").pk), "text": "x", "second_share": "50"}
    fields |= {"state": "granted", "answer": "x", "points": "3", "name": "x", "email": school.student.email}
    mark = {**fields, "answer": WrittenAnswer.objects.get().key, "comments": []}
    fields |= {"marks": json.dumps([mark])}
    refused = {role: said for role, said in zip(ROLES, TABLE[name], strict=True) if said != "in"}
    browsers = {role: school.browser(None if role == "nobody" else getattr(school, role)) for role in refused}
    as_it_was = everything()

    for role, expected in refused.items():
        answer = browsers[role].post(path, fields)
        if expected == "sign-in":
            assert answer["Location"].startswith(reverse("sign-in")), role
        else:
            assert str(answer.status_code) == expected, role

    assert everything() == as_it_was


@pytest.mark.parametrize("number", [10**6, 2**63, 10**30])
@pytest.mark.parametrize("name", [name for name, one in PATTERNS.items() if "_id" in str(one.pattern)])
def test_what_is_not_there_is_not_there_for_an_administrator_either(
    school: School, name: str, number: int
) -> None:
    path = reverse(name, kwargs=dict.fromkeys(PATTERNS[name].pattern.converters, number))
    token = PersonalToken.issue(school.administrator, "laptop")
    headers = {"Authorization": f"Bearer {token}"} if name.startswith("api-") else {}

    assert school.browser(school.administrator).get(path, headers=headers).status_code == 404
