"""Answers in words, and the people who mark them."""

from __future__ import annotations

from django.apps import AppConfig


class Marking(AppConfig):
    """The app `marking`."""

    name = "attest.portal.marking"
    label = "marking"
