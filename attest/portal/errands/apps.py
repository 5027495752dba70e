"""Work in the background that is no grading: comparing a cohort, validating an uploaded assignment."""

from __future__ import annotations

from django.apps import AppConfig


class Errands(AppConfig):
    """The app `errands`."""

    name = "attest.portal.errands"
    label = "errands"
