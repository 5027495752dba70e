"""Removing an uploaded assignment: its row, what it was unpacked to and its zip, unless something uses it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import transaction

from attest.portal.audit.trail import note
from attest.portal.contents import named_digests
from attest.portal.courses.models import CourseAssignment
from attest.portal.handing_in.keeping import Store
from attest.portal.people.models import Person
from attest.portal.uploads.folders import place_of, root
from attest.portal.uploads.models import UploadedFolder


class InUse(ValueError):
    """An upload cannot be removed. The message says why, and what would change that."""


def held(uploaded: UploadedFolder) -> UploadedFolder | None:
    """Return an upload as it is now, for nobody else to change in this transaction; None where it is gone."""
    return UploadedFolder.objects.select_for_update().defer("report").filter(pk=uploaded.pk).first()


def refuse_if_used(uploaded: UploadedFolder) -> None:
    """Raise InUse where something needs this upload."""
    here = CourseAssignment.objects.filter(course=uploaded.course_id)
    users = here.filter(upload__uploaded=uploaded) | here.filter(folder=str(place_of(uploaded)))
    titles = [one.title for one in users.distinct()]
    if titles:
        verb = "is" if len(titles) == 1 else "are"
        raise InUse(
            f"{', '.join(titles)} {verb} graded by it. Let another version replace the tests there first."
        )
    if uploaded.errand.waits:
        raise InUse("It is being validated. Wait until that has ended.")


def remove(uploaded: UploadedFolder, by: Person, why: str) -> None:
    """Remove an upload. Raises InUse.

    A zip that came within the hour goes with the next sweep: somebody else's row may be about to name it.
    """
    with transaction.atomic():
        now = held(uploaded)
        if now is None:
            return
        refuse_if_used(now)
        errand = now.errand
        subject, before = f"upload {now.pk}", {"title": now.title, "sha256": now.digest}
        now.delete()
        errand.delete()
        note(by, "upload removed", subject, course=uploaded.course, before=before, why=why)
    if uploaded.digest not in named_digests({uploaded.digest}):
        Store(settings.CONFIGURATION.files).remove(uploaded.digest)
        _remove_folder(place_of(uploaded))


def remove_unnamed() -> None:
    """Remove what no row names, as who was killed in the middle leaves it. Call it before anybody uploads."""
    named = set(UploadedFolder.objects.values_list("digest", flat=True))
    for place in root().glob("*"):
        if place.name not in named:
            _remove_folder(place)


def _remove_folder(place: Path) -> None:
    """Remove a folder: it has its name as long as it is complete."""
    if not place.is_dir():
        return
    away = Path(tempfile.mkdtemp(prefix=".removing-", dir=root()))
    with contextlib.suppress(FileNotFoundError):  # somebody else removes it too
        place.rename(away / "folder")
    shutil.rmtree(away, ignore_errors=True)
