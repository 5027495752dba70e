"""The trail of who changed what, which nothing changes."""

from __future__ import annotations

from django.apps import AppConfig


class Audit(AppConfig):
    """The app `audit`."""

    name = "attest.portal.audit"
    label = "audit"
