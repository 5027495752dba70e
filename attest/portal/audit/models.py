"""The trail: who did what to what, when and why. Rows are added, and the database lets none change."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone


class Unchangeable(TypeError):
    """Somebody's code tried to change the trail."""


class Entry(models.Model):
    """One thing done. It names people by number alone, so that deleting a person needs no change here."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    who = models.BigIntegerField(null=True)  # a Person's number; None for the portal itself
    course = models.BigIntegerField(null=True, db_index=True)
    action = models.CharField(max_length=60)  # "extension given"
    subject = models.CharField(max_length=200)  # "submission 17"
    whom = models.BigIntegerField(null=True)  # the Person that it was done to
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    why = models.CharField(max_length=2000, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"

    def save(self, *args: Any, **options: Any) -> None:
        """Add the row. Raises Unchangeable where it is there already."""
        if self.pk is not None:
            raise Unchangeable("an entry of the audit trail is never changed")
        super().save(*args, **options)

    def delete(self, *_: Any, **__: Any) -> tuple[int, dict[str, int]]:
        raise Unchangeable("an entry of the audit trail is never removed")
