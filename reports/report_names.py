"""File names for reports: whatever a student is called, the name is safe and nobody else's."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,59}")
_ENDS_LIKE_OURS = re.compile(r"-[0-9a-f]{12}$")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|index)(\..*)?$")  # devices on Windows, and index.html
_MAX_STEM_BYTES = 60


def report_name(student_id: str) -> str:
    """Return the stem of the file names of a student's report: no folder, no extension.

    A short id of plain lower-case ASCII is its own name. Any other is rewritten, and gets twelve digits
    of its hash, so that two students never share a file, not even where the disk ignores case.
    """
    if (
        _PLAIN.fullmatch(student_id)
        and not student_id.endswith(".")
        and not _ENDS_LIKE_OURS.search(student_id)
        and not _RESERVED.match(student_id)
    ):
        return student_id
    digest = hashlib.sha256(student_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    normal = unicodedata.normalize("NFC", unicodedata.normalize("NFC", student_id[:400]).casefold())
    stem = "".join(c if c.isalnum() or c == "_" else "-" for c in normal)
    stem = re.sub(r"-{2,}", "-", stem)
    stem = stem.encode("utf-8", "ignore")[:_MAX_STEM_BYTES].decode("utf-8", "ignore").strip("-")
    return f"{stem or 'student'}-{digest}"
