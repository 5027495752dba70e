"""Courses: who is in them in which role, and what is to be handed in when."""

from __future__ import annotations

from django.apps import AppConfig


class Courses(AppConfig):
    """The app `courses`."""

    name = "attest.portal.courses"
    label = "courses"
