"""The limits under which an assignment's submissions run."""

from __future__ import annotations

import dataclasses
from typing import Any

from graders.assignment import Assignment
from sandbox import Limits


def limits_of(assignment: Assignment) -> Limits:
    """Return the sandbox's limits with those that the assignment sets."""
    own: dict[str, Any] = dict(assignment.limits)
    return dataclasses.replace(Limits(), **own)
