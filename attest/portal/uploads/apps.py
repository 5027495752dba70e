"""Assignment folders that instructors upload."""

from __future__ import annotations

from django.apps import AppConfig


class Uploads(AppConfig):
    """The app `uploads`."""

    name = "attest.portal.uploads"
    label = "uploads"
