"""Signing in by email and password; nothing tells whether there is such a person."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from attest.portal.people.models import Person


class ByEmail(BaseBackend):
    """Django's backend for people of the portal."""

    def authenticate(
        self, request: HttpRequest | None, email: str = "", password: str = "", **_: Any
    ) -> Person | None:
        """Return who this is, if the password is theirs and they may sign in."""
        person = Person.objects.filter(email=email.strip().lower()).first()
        if person is None:
            Person().set_password(password)  # takes as long as to look at one
            return None
        may = person.is_active and not person.comes_from_lms
        return person if person.check_password(password) and may else None

    def get_user(self, user_id: int) -> Person | None:
        """Return who a session belongs to."""
        return Person.objects.filter(pk=user_id, is_active=True).first()
