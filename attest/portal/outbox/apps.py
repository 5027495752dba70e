"""Scores that leave for LMSs, right and once."""

from __future__ import annotations

from django.apps import AppConfig


class Outbox(AppConfig):
    """The app `outbox`."""

    name = "attest.portal.outbox"
    label = "outbox"
