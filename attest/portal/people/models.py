"""A person who signs in by email, their tokens for the command line, and how often something was tried."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.utils import timezone

TOKEN_PREFIX = "attest_"  # noqa: S105 - so that a leaked one is recognised by scanners
USED_AGAIN_AFTER = timedelta(minutes=5)
RESERVED = "@lms.invalid"  # ends the emails of those who come from an LMS; no mail and no password has it


def valid_zone(name: str) -> None:
    """Raise ValidationError unless `name` is a time zone."""
    if name not in available_timezones():
        raise ValidationError(f"{name!r} is no time zone; expected such as Europe/Berlin.")


class People(BaseUserManager["Person"]):
    """Makes and finds people by email, whatever its capitals."""

    def create(self, **fields: Any) -> Person:
        """Make somebody who cannot sign in until they have set a password by a link."""
        password = fields.pop("password", None)
        person = self.model(**{**fields, "email": fields["email"].strip().lower()})
        person.set_password(password)
        person.save(using=self._db)
        return person

    def with_email(self, email: str, *, name: str, zone: str) -> Person:
        """Return who has this email, made with this name and zone where there is nobody.

        Of two who make the same person at the same moment both get the one.
        """
        email = email.strip().lower()
        found = self.filter(email=email).first()
        if found is not None:
            return found
        try:
            with transaction.atomic():
                return self.create(email=email, name=name, zone=zone)
        except IntegrityError:
            return self.get(email=email)

    def get_by_natural_key(self, username: str | None) -> Person:
        return self.get(email=(username or "").strip().lower())


class Person(AbstractBaseUser):
    """Somebody who may sign in."""

    email = models.EmailField(unique=True, max_length=254)
    name = models.CharField(max_length=200, blank=True)
    zone = models.CharField(max_length=64, default="UTC", validators=[valid_zone])
    is_active = models.BooleanField(default=True)
    is_administrator = models.BooleanField(default=False)  # of the whole site
    joined_at = models.DateTimeField(default=timezone.now)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []

    objects = People()

    class Meta:
        ordering = ["email"]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def comes_from_lms(self) -> bool:
        """Whether they come in from an LMS alone: their email is none, and they have no password."""
        return self.email.endswith(RESERVED)

    @property
    def address(self) -> str:
        """The email by which they sign in, or the one that their LMS told; "" where it told none."""
        if not self.comes_from_lms:
            return self.email
        return next((one.email for one in self.told.all()), "")

    @property
    def time_zone(self) -> ZoneInfo:
        """The zone in which they read times; UTC where theirs is no longer known."""
        try:
            return ZoneInfo(self.zone)
        except (KeyError, ValueError):
            return ZoneInfo("UTC")


class PersonalToken(models.Model):
    """What the command line signs in with. Only its hash is kept: nobody can read one out of a backup."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def issue(cls, person: Person, name: str) -> str:
        """Make a token and return it; it cannot be shown again."""
        text = TOKEN_PREFIX + secrets.token_urlsafe(32)
        cls.objects.create(person=person, name=name, digest=cls.hashed(text))
        return text

    @classmethod
    def holder(cls, text: str) -> Person | None:
        """Return whose token this is, and note that it was used."""
        token = cls.objects.select_related("person").filter(digest=cls.hashed(text)).first()
        if token is None or not token.person.is_active:
            return None
        now = timezone.now()
        if token.used_at is None or now - token.used_at > USED_AGAIN_AFTER:
            cls.objects.filter(pk=token.pk).update(used_at=now)
        return token.person

    @staticmethod
    def hashed(text: str) -> str:
        """Return the hash under which a token is kept. It is random and long: no slow hash is needed."""
        return hashlib.sha256(text.encode()).hexdigest()


class Tried(models.Model):
    """How often something was tried in one window of time; see `people.rates`."""

    what = models.CharField(max_length=64)  # the hash of what is counted: no address is kept
    window = models.BigIntegerField()  # which one since 1970
    times = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["what", "window"], name="tried_once_a_window")]

    def __str__(self) -> str:
        return f"{self.times} times"
