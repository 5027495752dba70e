"""Who may see and do what: the one place that every view goes through.

A view says who may come in by a decorator; what its address names is looked up *for the person who asks*
and handed to it. What they may not see answers as what is not there: 404. A view without a decorator fails
a test.

    @members(Role.GRADER)
    def submission(asking: Asking, submission: Submission) -> HttpResponse: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.grading.models import Graded, RegradeRequest
from attest.portal.handing_in.models import Submission, SubmittedFile
from attest.portal.likeness.models import LikePair
from attest.portal.lms.models import may_come_in
from attest.portal.marking.models import Level, ReusableComment, WrittenAnswer
from attest.portal.people.models import Person, PersonalToken
from attest.portal.polling import asks_by_itself, whole_page
from attest.portal.regrading.models import Regrade
from attest.portal.uploads.models import UploadedFolder

View = Callable[..., Any]


@dataclass(frozen=True)
class Asking:
    """Who asks, and as what. `role` and `course` are set where the address names something of a course."""

    request: HttpRequest
    person: Person
    course: Course | None = None
    role: Role | None = None

    def may(self, role: Role) -> bool:
        """Whether the person has at least this role in the course."""
        return self.role is not None and self.role.rank >= role.rank


class Place(NamedTuple):
    """Something that an address names: the course that it belongs to, and the student whose it is."""

    name: str  # the view's parameter
    thing: Model
    course: Course
    owner: int | None = None  # a Person's number


def _course(number: int) -> Place:
    course = Course.objects.get(pk=number)
    return Place("course", course, course)


def _assignment(number: int) -> Place:
    assignment = CourseAssignment.objects.select_related("course").get(pk=number)
    return Place("assignment", assignment, assignment.course)


def _membership(number: int) -> Place:
    membership = Membership.objects.select_related("course", "person", "section").get(pk=number)
    return Place("membership", membership, membership.course, membership.person_id)


def _submission(number: int) -> Place:
    submission = Submission.objects.select_related("assignment__course", "person").get(pk=number)
    return Place("submission", submission, submission.assignment.course, submission.person_id)


def _file(number: int) -> Place:
    file = SubmittedFile.objects.select_related("submission__assignment__course").get(pk=number)
    return Place("file", file, file.submission.assignment.course, file.submission.person_id)


def _regrade_request(number: int) -> Place:
    asked = RegradeRequest.objects.select_related("submission__assignment__course").get(pk=number)
    return Place("regrade_request", asked, asked.submission.assignment.course, asked.submission.person_id)


def _answer(key: str) -> Place:
    answer = WrittenAnswer.objects.select_related("assignment__course", "person").get(key=key)
    return Place("answer", answer, answer.assignment.course, answer.person_id)


def _level(number: int) -> Place:
    level = Level.objects.select_related("assignment__course").get(pk=number)
    return Place("level", level, level.assignment.course)


def _comment(number: int) -> Place:
    comment = ReusableComment.objects.select_related("course").get(pk=number)
    return Place("comment", comment, comment.course)


def _result(number: int) -> Place:
    graded = Graded.objects.select_related("submission__assignment__course", "submission__person").get(
        pk=number
    )
    return Place("graded", graded, graded.submission.assignment.course, graded.submission.person_id)


def _regrade(number: int) -> Place:
    regrade = Regrade.objects.select_related("assignment__course", "by", "person").get(pk=number)
    return Place("regrade", regrade, regrade.assignment.course)


def _like_pair(number: int) -> Place:
    pair = LikePair.objects.select_related(
        "comparison__assignment__course", "first__person", "second__person"
    ).get(pk=number)
    return Place("like_pair", pair, pair.comparison.assignment.course)


def _uploaded(number: int) -> Place:
    uploaded = UploadedFolder.objects.select_related("course", "errand", "by").get(pk=number)
    return Place("uploaded", uploaded, uploaded.course)


# What an address may name, by its parameter.
PLACES: dict[str, Callable[[Any], Place]] = {
    "course_id": _course,
    "assignment_id": _assignment,
    "membership_id": _membership,
    "submission_id": _submission,
    "file_id": _file,
    "regrade_request_id": _regrade_request,
    "answer_id": _answer,
    "level_id": _level,
    "comment_id": _comment,
    "graded_id": _result,
    "regrade_id": _regrade,
    "like_pair_id": _like_pair,
    "uploaded_id": _uploaded,
}


def role_in(person: Person, course: Course) -> Role | None:
    """Return somebody's role in a course. An administrator may do in every course what an instructor may."""
    if person.is_administrator:
        return Role.INSTRUCTOR
    found = Membership.objects.filter(course=course, person=person).values_list("role", flat=True).first()
    return Role(found) if found else None


def courses_of(person: Person) -> QuerySet[Course]:
    """Return the courses that a person sees."""
    if person.is_administrator:
        return Course.objects.all()
    return Course.objects.filter(memberships__person=person)


def administers(person: Person, other: Person) -> bool:
    """Whether all courses that somebody else is in are this person's to administer."""
    return other.pk in administered(person, [other])


def administered(person: Person, others: Iterable[Person]) -> set[int]:
    """Return of whom among others all courses are this person's to administer."""
    numbers = {one.pk for one in others}
    if person.is_administrator:
        return numbers
    own = Course.objects.filter(memberships__person=person, memberships__role=Role.INSTRUCTOR)
    elsewhere = Membership.objects.filter(person__in=numbers).exclude(course__in=own)
    return numbers - set(elsewhere.values_list("person_id", flat=True))


def still_administrator(person: Person, other: Person) -> None:
    """Hold both rows, and raise Http404 unless `person` is an administrator now.

    Call it in the transaction that takes something from `other`: of two administrators who put each other
    out at once, one remains.
    """
    rows = Person.objects.select_for_update().filter(pk__in=(person.pk, other.pk)).order_by("pk")
    if not any(one.pk == person.pk and one.is_administrator and one.is_active for one in rows):
        raise Http404


def look_up(person: Person, least: Role, named: dict[str, Any]) -> tuple[Course, Role, dict[str, Model]]:
    """Return what an address names, for this person. Raises Http404 where they may not see all of it."""
    things: dict[str, Model] = {}
    course: Course | None = None
    role: Role | None = None
    for parameter, number in named.items():
        try:
            place = PLACES[parameter](number)
        except (ObjectDoesNotExist, OverflowError):
            raise Http404 from None
        if course is None:
            course, role = place.course, role_in(person, place.course)
        if role is None or place.course != course or role.rank < least.rank:
            raise Http404
        if place.owner not in (None, person.pk) and role.rank < Role.GRADER.rank:
            raise Http404
        things[place.name] = place.thing
    assert course is not None
    assert role is not None
    return course, role, things


@dataclass(frozen=True)
class Rule:
    """Who may come in by a view; kept on it as `rule`."""

    who: str  # "everybody", "signed in", "administrators", "members"
    least: Role | None = None


def everybody(view: View) -> View:
    """Let everybody in, signed in or not."""
    view.rule = Rule("everybody")  # type: ignore[attr-defined]
    return view


def signed_in(view: View) -> View:
    """Let in whoever is signed in. What the address names besides is the view's own to look up for them."""
    return _guard(view, Rule("signed in"), lambda person, named: (Asking, named))


def administrators(view: View) -> View:
    """Let in administrators of the site; for others it is not there."""

    def prepare(person: Person, named: dict[str, Any]) -> tuple[Callable[..., Asking], dict[str, Any]]:
        if not person.is_administrator:
            raise Http404
        return Asking, named

    return _guard(view, Rule("administrators"), prepare)


def members(least: Role) -> Callable[[View], View]:
    """Let in who has at least this role in the course of what the address names."""

    def decorate(view: View) -> View:
        def prepare(person: Person, named: dict[str, Any]) -> tuple[Callable[..., Asking], dict[str, Any]]:
            places = {name: value for name, value in named.items() if name in PLACES}
            others = {name: value for name, value in named.items() if name not in PLACES}
            course, role, things = look_up(person, least, places)
            return lambda request, person: Asking(request, person, course, role), {**things, **others}

        return _guard(view, Rule("members", least), prepare)

    return decorate


def own_tokens(person: Person) -> QuerySet[PersonalToken]:
    """Return a person's tokens: nobody sees another's."""
    return PersonalToken.objects.filter(person=person)


def _guard(view: View, rule: Rule, prepare: Callable[..., Any]) -> View:
    def come_in(request: HttpRequest, named: dict[str, Any]) -> tuple[Any, ...] | HttpResponse:
        person = person_of(request)
        if person is None:
            if "Authorization" in request.headers:
                return HttpResponse("This token is not known.\n", "text/plain", status=401)
            if asks_by_itself(request):  # or the page for signing in would stand inside another one
                return whole_page()
            from attest.portal.written import given_back  # it needs pages, which need this

            return given_back(request, 401) or redirect_to_login(request.get_full_path())
        make, things = prepare(person, named)
        return make(request, person), things

    if iscoroutinefunction(view):

        @wraps(view)
        async def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
            found = await sync_to_async(come_in)(request, named)
            return found if isinstance(found, HttpResponse) else await view(found[0], **found[1])
    else:

        @wraps(view)
        def guarded(request: HttpRequest, **named: Any) -> HttpResponseBase:
            found = come_in(request, named)
            return found if isinstance(found, HttpResponse) else view(found[0], **found[1])

    guarded.rule = rule  # type: ignore[attr-defined]
    return guarded


def person_of(request: HttpRequest) -> Person | None:
    """Return who asks: by the session, or by the token that a view for the command line has accepted."""
    bearer: Person | None = getattr(request, "bearer", None)
    if bearer is not None:
        return bearer
    user = request.user
    return user if isinstance(user, Person) and user.is_active else None


def holder_of(token: str) -> Person | None:
    """Return who comes in by a personal token; None where it is not known, or no good any more."""
    person = PersonalToken.holder(token)
    return person if person is not None and may_come_in(person) else None


def takes_tokens(view: View) -> View:
    """Let the command line in by a personal token in the Authorization header, and nobody by a session.

    Without a session there is nothing that another site could use, so no CSRF token is asked for.
    """

    @wraps(view)
    def by_token(request: HttpRequest, **named: Any) -> HttpResponseBase:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        person = holder_of(text.strip()) if scheme.lower() == "bearer" else None
        if person is None:
            return HttpResponse(
                "A personal token is needed; make one on the portal's page “Tokens”. One that was good"
                " before is no good any more where your LMS is out of use here.\n",
                "text/plain; charset=utf-8",
                status=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
        request.bearer = person  # type: ignore[attr-defined]
        with timezone.override(person.time_zone):
            return view(request, **named)  # type: ignore[no-any-return]

    by_token.rule = view.rule  # type: ignore[attr-defined]
    by_token.csrf_exempt = True  # type: ignore[attr-defined]
    return by_token
