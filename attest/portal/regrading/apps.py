"""Grading all or some again, with the difference shown before it counts."""

from __future__ import annotations

from django.apps import AppConfig


class Regrading(AppConfig):
    """The app `regrading`."""

    name = "attest.portal.regrading"
    label = "regrading"
