"""Taking in what students hand in, whole or not at all."""

from __future__ import annotations

from django.apps import AppConfig


class HandingIn(AppConfig):
    """The app `handing_in`."""

    name = "attest.portal.handing_in"
    label = "handing_in"
