"""LMSs that the portal is registered with, whom and what they told us, and what of ours that belongs to.

People are known by platform and `sub` alone: what an LMS says of somebody's email links nobody to anybody.
"""

from __future__ import annotations

import re

from django.db import models
from django.utils import timezone

from attest.lti.members import origin, parsed
from attest.lti.registrations import Registration
from attest.portal.courses.models import Course, CourseAssignment, Role
from attest.portal.errands.models import Errand
from attest.portal.people.models import Person

MOST_URL, MOST_ID = 2000, 255
_HOST = re.compile(r"[0-9a-z.-]+|[0-9a-f:.]+")  # nothing that a header could be ended with


class Platform(models.Model):
    """One registration: a client_id at one LMS."""

    class Family(models.TextChoices):
        """Which LMS, since each has ways of its own."""

        MOODLE = "moodle", "Moodle"
        CANVAS = "canvas", "Canvas"
        BLACKBOARD = "blackboard", "Blackboard"
        BRIGHTSPACE = "brightspace", "Brightspace"
        SAKAI = "sakai", "Sakai"
        OTHER = "other", "another"

    name = models.CharField(max_length=200)
    family = models.CharField(max_length=20, choices=Family.choices, default=Family.OTHER)
    issuer = models.CharField(max_length=500)
    client_id = models.CharField(max_length=MOST_ID)
    auth_login_url = models.CharField(max_length=MOST_URL)
    auth_token_url = models.CharField(max_length=MOST_URL)
    jwks_url = models.CharField(max_length=MOST_URL)
    token_audience = models.CharField(max_length=MOST_URL, blank=True)
    frame_origins = models.CharField(max_length=MOST_URL, blank=True)  # more that may frame us, by spaces
    accepts_new_deployments = models.BooleanField(default=True)
    is_active = models.BooleanField(default=True)
    made_at = models.DateTimeField(default=timezone.now)
    made_by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["client_id"], name="client_registered_once")]

    def __str__(self) -> str:
        return self.name

    def registration(self) -> Registration:
        """Return it as attest.lti knows it; `key` is our number."""
        known = None
        if not self.accepts_new_deployments:
            of_use = self.deployments.filter(is_active=True)
            known = frozenset(of_use.values_list("deployment_id", flat=True))
        return Registration(
            key=str(self.pk),
            issuer=self.issuer,
            client_id=self.client_id,
            auth_login_url=self.auth_login_url,
            auth_token_url=self.auth_token_url,
            jwks_url=self.jwks_url,
            token_audience=self.token_audience,
            deployment_ids=known,
        )

    @property
    def is_unused(self) -> bool:
        """Whether nobody has come from it, and no course of it is linked."""
        return not self.people.exists() and not self.contexts.exists()

    @property
    def origins(self) -> list[str]:
        """Origins whose pages may frame ours."""
        named = [self.issuer, self.auth_login_url, *self.frame_origins.split()]
        return sorted({found for url in named if (found := origin_of(url))})


def taken(client_id: str, by: Platform | None = None) -> str:
    """Return why a platform cannot have a client id; "" where it can.

    Who we are in what we sign is the client id alone, and Moodle does not look for whom it was signed. So a
    platform with another's client id could show there what it got from us, and write into its gradebooks.
    """
    others = Platform.objects.exclude(pk=by.pk) if by is not None else Platform.objects.all()
    other = others.filter(client_id=client_id).first()
    if other is None:
        return ""
    return f"This client id is registered already, for {other}. In another LMS, make the tool anew."


class Deployment(models.Model):
    """Where in the LMS the tool is installed: all of it, or a part."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="deployments")
    deployment_id = models.CharField(max_length=MOST_ID)
    is_active = models.BooleanField(default=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when somebody came from there, about

    class Meta:
        ordering = ["deployment_id"]
        constraints = [models.UniqueConstraint(fields=["platform", "deployment_id"], name="deployed_once")]

    def __str__(self) -> str:
        return self.deployment_id


class PlatformPerson(models.Model):
    """Somebody as an LMS knows them, with what it told of them last."""

    platform = models.ForeignKey(Platform, on_delete=models.PROTECT, related_name="people")
    subject = models.CharField(max_length=MOST_ID)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="told")
    name = models.CharField(max_length=200, blank=True)
    email = models.CharField(max_length=320, blank=True)
    told_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["platform", "subject"], name="told_once")]

    def __str__(self) -> str:
        return self.name or self.subject


class LinkedContext(models.Model):
    """A course of an LMS that is a course here."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="contexts")
    deployment_id = models.CharField(max_length=MOST_ID)
    context_id = models.CharField(max_length=MOST_ID)
    title = models.CharField(max_length=200, blank=True)
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="contexts")
    nrps_url = models.CharField(max_length=MOST_URL, blank=True)
    lineitems_url = models.CharField(max_length=MOST_URL, blank=True)
    scopes = models.JSONField(default=list, blank=True)  # of the grade service
    linked_at = models.DateTimeField(default=timezone.now)
    linked_by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["platform", "deployment_id", "context_id"], name="context_linked_once"
            )
        ]

    def __str__(self) -> str:
        return self.title or self.context_id


def deployments_in_use() -> models.QuerySet[Deployment]:
    """Return where LMSs that are in use have the tool, without what is out of use by itself."""
    return Deployment.objects.filter(is_active=True, platform__is_active=True)


def contexts_in_use() -> models.QuerySet[LinkedContext]:
    """Return the courses of LMSs that are in use, in parts of them that are."""
    of_it = {"platform": models.OuterRef("platform"), "deployment_id": models.OuterRef("deployment_id")}
    out_of_use = Deployment.objects.filter(**of_it, is_active=False)
    return LinkedContext.objects.filter(platform__is_active=True).exclude(models.Exists(out_of_use))


def may_come_in(person: Person) -> bool:
    """Whether somebody comes from where people may come in from now; who has a password here always may.

    Whom an LMS has sent into courses comes in from one of them: a part of it may be out of use by itself.
    """
    if not person.comes_from_lms:
        return True
    told = PlatformPerson.objects.filter(person=person, platform__is_active=True)
    in_use = models.Q(contexts__context__in=contexts_in_use())
    return told.filter(in_use | models.Q(contexts=None)).exists()


class LinkedResource(models.Model):
    """What is clicked in a course of an LMS, and the assignment that it opens."""

    context = models.ForeignKey(LinkedContext, on_delete=models.CASCADE, related_name="resources")
    resource_link_id = models.CharField(max_length=MOST_ID)
    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="resources")
    lineitem_url = models.CharField(max_length=MOST_URL, blank=True)
    title = models.CharField(max_length=200, blank=True)
    linked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["context", "resource_link_id"], name="resource_linked_once")
        ]

    def __str__(self) -> str:
        return self.title or self.resource_link_id


class ContextPerson(models.Model):
    """What an LMS said last of somebody's role in a course: only what it changes there changes it here."""

    context = models.ForeignKey(LinkedContext, on_delete=models.CASCADE, related_name="people")
    told = models.ForeignKey(PlatformPerson, on_delete=models.CASCADE, related_name="contexts")
    role = models.CharField(max_length=20, choices=Role.choices)
    has_left = models.BooleanField(default=False)  # the roster no longer has them

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["context", "told"], name="in_context_once")]

    def __str__(self) -> str:
        return f"{self.told}, {self.role}"


class RosterReading(models.Model):
    """One reading of an LMS's roster, and what it changed here."""

    context = models.ForeignKey(LinkedContext, on_delete=models.CASCADE, related_name="readings")
    errand = models.OneToOneField(Errand, on_delete=models.CASCADE, related_name="roster_reading")
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    members = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    left = models.PositiveIntegerField(default=0)  # who is here, and there no longer

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"reading {self.pk}"


class LoginState(models.Model):
    """A launch that has begun: what the platform must bring back, once. Only the state's hash is kept."""

    digest = models.CharField(max_length=64, unique=True)
    nonce = models.CharField(max_length=MOST_ID)
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+")
    target_link_uri = models.CharField(max_length=MOST_URL)
    storage_target = models.CharField(max_length=MOST_ID, blank=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"state {self.pk}"


class UsedNonce(models.Model):
    """A nonce that was used, until no token with it is valid any more."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["platform", "digest"], name="nonce_used_once")]

    def __str__(self) -> str:
        return f"nonce {self.pk}"


class OwnKeyRow(models.Model):
    """A key that the portal signs with, or has signed with until it was retired."""

    kid = models.CharField(max_length=64, unique=True)
    private_pem = models.TextField()
    made_at = models.FloatField()  # seconds since the epoch, as attest.lti has them
    retired_at = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["made_at"]

    def __str__(self) -> str:
        return self.kid


class Ticket(models.Model):
    """What a page in an LMS's frame, where no session reaches, brings back. Only its hash is kept."""

    class Purpose(models.TextChoices):
        """What it is good for."""

        OPEN = "open", "begin a session"  # once, within a minute
        CHOOSE = "choose", "choose what is linked"

    digest = models.CharField(max_length=64, unique=True)
    purpose = models.CharField(max_length=20, choices=Purpose.choices)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField(default=dict)  # of the launch, as `purpose` needs it
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"ticket {self.pk}, {self.purpose}"


class RegistrationInvitation(models.Model):
    """Lets one LMS register the portal by itself (dynamic registration), once. Only its hash is kept."""

    digest = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    family = models.CharField(max_length=20, choices=Platform.Family.choices, default=Platform.Family.OTHER)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"invitation {self.pk}"


def origin_of(url: str) -> str:
    """Return the origin of an address, as a browser writes it; "" where it is none."""
    parts = parsed(url)
    return origin(url) if parts is not None and _HOST.fullmatch(parts.hostname or "") else ""
