"""LMSs from which people come."""

from __future__ import annotations

from django.apps import AppConfig


class Lms(AppConfig):
    """The app `lms`."""

    name = "attest.portal.lms"
    label = "lms"
