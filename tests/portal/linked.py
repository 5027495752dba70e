"""A school's course linked with one of an LMS; every table of the app `lms` has a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from attest.portal.courses.models import Membership, Role
from attest.portal.errands.models import Errand
from attest.portal.handing_in.models import Submission
from attest.portal.lms.models import (
    ContextPerson,
    Deployment,
    LinkedContext,
    LinkedResource,
    LoginState,
    OwnKeyRow,
    Platform,
    PlatformPerson,
    RegistrationInvitation,
    RosterReading,
    Ticket,
    UsedNonce,
)
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.sending import LOWER
from attest.portal.people.models import Person
from tests.portal.school import School


@dataclass(frozen=True)
class Linked:
    """What there is."""

    platform: Platform
    context: LinkedContext
    resource: LinkedResource
    person: Person  # a student who came from the LMS


def make_platform(address: str = "https://moodle.example.edu", **fields: object) -> Platform:
    known = {
        "name": "Moodle of the school",
        "family": Platform.Family.MOODLE,
        "issuer": address,
        "client_id": "attest-client",
        "auth_login_url": f"{address}/mod/lti/auth.php",
        "auth_token_url": f"{address}/mod/lti/token.php",
        "jwks_url": f"{address}/mod/lti/certs.php",
    }
    return Platform.objects.create(**{**known, **fields})


def link_school(school: School) -> Linked:
    platform = make_platform(made_by=school.administrator)
    deployment = Deployment.objects.create(platform=platform, deployment_id="1")
    context = LinkedContext.objects.create(
        platform=platform,
        deployment_id="1",
        context_id="course-7",
        title="Attention in Moodle",
        course=school.course,
        nrps_url=f"{platform.issuer}/memberships",
        lineitems_url=f"{platform.issuer}/lineitems?type_id=1",
        scopes=["https://purl.imsglobal.org/spec/lti-ags/scope/score"],
        linked_by=school.instructor,
    )
    resource = LinkedResource.objects.create(
        context=context,
        resource_link_id="link-1",
        assignment=school.assignment,
        lineitem_url=f"{platform.issuer}/lineitems/3?type_id=1",
        title="To hand in",
    )
    person = Person.objects.create(email="9f2c@lms.invalid", name="Mia Schmidt")
    Membership.objects.create(course=school.course, person=person, role=Role.STUDENT)
    told = PlatformPerson.objects.create(
        platform=platform, subject="u-17", person=person, name="Mia Schmidt", email="mia@school.example"
    )
    ContextPerson.objects.create(context=context, told=told, role=Role.STUDENT)
    soon = timezone.now() + timedelta(minutes=5)
    LoginState.objects.create(
        digest="0" * 64, nonce="n", platform=platform, target_link_uri="x", expires_at=soon
    )
    UsedNonce.objects.create(platform=platform, digest="0" * 64, expires_at=soon)
    OwnKeyRow.objects.create(kid="a key", private_pem="as a PEM", made_at=0.0, retired_at=1.0)
    Ticket.objects.create(
        digest="0" * 64, purpose=Ticket.Purpose.OPEN, person=person, deployment=deployment, expires_at=soon
    )
    RegistrationInvitation.objects.create(
        digest="0" * 64, name="Canvas", by=school.administrator, expires_at=soon
    )
    RosterReading.objects.create(
        context=context,
        errand=Errand.objects.create(kind=Errand.Kind.ROSTER, state=Errand.State.DONE),
        by=school.instructor,
        members=4,
        new=1,
    )
    return Linked(platform, context, resource, person)


def scores_on_their_way(lms: Linked, submissions: Sequence[Submission]) -> None:
    """Scores of these attempts: one was refused, one would lower a grade, one is there."""
    now = timezone.now()
    states = (
        (
            OutgoingScore.State.REFUSED,
            "Student: POST https://moodle.example.edu/scores was answered with 400.",
        ),
        (OutgoingScore.State.HELD, LOWER),
        (OutgoingScore.State.SENT, ""),
    )
    for number, (submission, (state, answer)) in enumerate(zip(submissions, states, strict=True)):
        # Nothing has happened to her: a portal that runs looks at others again, and sends what it finds.
        person = lms.person if state == OutgoingScore.State.REFUSED else submission.person
        told, _ = PlatformPerson.objects.get_or_create(
            platform=lms.platform, person=person, defaults={"subject": f"u-{number}"}
        )
        ContextPerson.objects.get_or_create(context=lms.context, told=told, role=Role.STUDENT)
        is_there = state != OutgoingScore.State.REFUSED
        OutgoingScore.objects.create(
            resource=lms.resource,
            told=told,
            state=state,
            submission=submission,
            points=3.0,
            max_points=5.0,
            made_at=now,
            digest=f"{number}" * 64,
            stamp=int(now.timestamp()),
            sent_points=4.0 if is_there else None,
            sent_max=5.0 if is_there else None,
            sent_at=now if is_there else None,
            tried_at=now,
            answer=answer,
        )
    # Up to where a portal that runs has nothing to notice: for an hour, since nothing is due.
    assert lms.resource.assignment.due_at is None
    LookedAt.objects.create(
        resource=lms.resource,
        column=lms.resource.lineitem_url,
        entry=2**62,
        graded=2**62,
        member=2**62,
        whole_at=now,
        read_at=now,
    )
