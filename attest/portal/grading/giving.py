"""Points that an instructor gives in place of those of a Result, with a reason; and taking them back."""

from __future__ import annotations

from attest.portal.audit.trail import note
from attest.portal.grading.models import Override
from attest.portal.grading.results import titles_in
from attest.portal.grading.standing import Standing, seen_parts
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person
from reports.amounts import points_text


def read_points(text: str, most: float) -> float:
    """Read points as people write them. Raises ValueError: what was found, and what is expected."""
    found = text.strip()
    try:
        points = float(found.replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0 <= points <= most:
        raise ValueError(
            f"{found[:20] or 'Nothing'} was found; a number from 0 to {points_text(most)} is expected."
        )
    return points


def given_lines(found: Standing, *, kept: bool) -> list[tuple[str, Override]]:
    """Return what was given and is seen by who sees the report: what for ("" is all of it), and the points.

    `kept` is whether they see the checks that are kept until the due date.
    """
    given = found.given
    if not any(given):
        return list(given.items())
    seen = seen_parts(found, kept=kept)
    titles = titles_in(found.result)
    return [(titles.get(part, part).rstrip("."), one) for part, one in given.items() if part in seen]


def give_points(
    submission: Submission, part: str, points: float | None, *, reason: str, by: Person, before: float | None
) -> None:
    """Give points for a check, a rubric item, or ("") all of a submission; None takes earlier ones back.

    Call it in a transaction. `before` is what the part had.
    """
    Override.objects.create(submission=submission, check_id=part, points=points, reason=reason, by=by)
    note(
        by,
        "points taken back" if points is None else "points given",
        f"submission {submission.pk}" + (f", check {part}" if part else ""),
        course=submission.assignment.course,
        whom=submission.person,
        before={"points": before},
        after=None if points is None else {"points": points},
        why=reason,
    )
