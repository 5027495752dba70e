"""Which contents rows name: those that students handed in, and the zips of uploaded assignments."""

from __future__ import annotations

from collections.abc import Collection

from attest.portal.handing_in.models import SubmittedFile
from attest.portal.uploads.models import UploadedFolder


def named_digests(among: Collection[str] | None = None) -> set[str]:
    """Return the hashes of all contents that a row names, or of those `among` these."""
    found: set[str] = set()
    for model in (SubmittedFile, UploadedFolder):
        rows = (
            model._default_manager.all() if among is None else model._default_manager.filter(digest__in=among)
        )
        found.update(rows.values_list("digest", flat=True))
    return found
