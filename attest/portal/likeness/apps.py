"""Submissions that share code."""

from __future__ import annotations

from django.apps import AppConfig


class Likeness(AppConfig):
    """The app `likeness`."""

    name = "attest.portal.likeness"
    label = "likeness"
