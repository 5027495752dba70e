"""Where a check stands on a student's page: only what is shown is numbered, so no gap tells of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

from graders.result import Visibility

Audience = Literal["student", "instructor"]


class Checked(Protocol):
    """What a check must say of itself to be found."""

    @property
    def id(self) -> str:
        """The same in every run."""

    @property
    def visibility(self) -> Visibility:
        """When a student may see it."""


def is_shown(check: Checked, audience: Audience, after_due: bool) -> bool:
    """Return whether `audience` may see `check`; `after_due` opens the checks that wait for the due date."""
    if audience == "instructor" or check.visibility is Visibility.ALWAYS:
        return True
    return check.visibility is Visibility.AFTER_DUE and after_due


def check_anchors(checks: Iterable[Checked], audience: Audience, after_due: bool) -> dict[str, str]:
    """Return the anchor of each check that is shown, by its id."""
    shown = (check for check in checks if is_shown(check, audience, after_due))
    return {check.id: f"check-{number}" for number, check in enumerate(shown, 1)}
