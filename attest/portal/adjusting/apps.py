"""Checks that were found wrong: taken out of the count, or given to everybody."""

from __future__ import annotations

from django.apps import AppConfig


class Adjusting(AppConfig):
    """The app `adjusting`."""

    name = "attest.portal.adjusting"
    label = "adjusting"
