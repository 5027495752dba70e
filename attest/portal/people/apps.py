"""People, how they sign in, and their tokens."""

from __future__ import annotations

from django.apps import AppConfig


class People(AppConfig):
    """The app `people`."""

    name = "attest.portal.people"
    label = "people"
