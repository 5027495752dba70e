"""The queue, the workers, and what came of each submission."""

from __future__ import annotations

from django.apps import AppConfig


class Grading(AppConfig):
    """The app `grading`."""

    name = "attest.portal.grading"
    label = "grading"
