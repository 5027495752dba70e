"""Writing the trail. Call it inside the transaction of what it tells of: both are kept, or neither."""

from __future__ import annotations

from typing import Any

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course
from attest.portal.people.models import Person

MOST_CHARACTERS = 200  # of a subject: a check's id may be longer, and PostgreSQL keeps no more


def note(
    who: Person | None,
    action: str,
    subject: str,
    *,
    course: Course | None = None,
    whom: Person | None = None,
    before: Any = None,
    after: Any = None,
    why: str = "",
) -> None:
    """Remember that `who` did this. What a student wrote never goes in here; nor does anybody's name."""
    Entry.objects.create(
        who=who.pk if who else None,
        action=action,
        subject=subject[:MOST_CHARACTERS],
        course=course.pk if course else None,
        whom=whom.pk if whom else None,
        before=before,
        after=after,
        why=why,
    )
