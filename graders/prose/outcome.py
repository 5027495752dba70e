"""From the words that were found to what a Result says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from graders.assignment import Assignment
from graders.prose.finding import Found
from graders.result import Answer, RubricResult

NOT_FOUND = "No answer was found. Write it in a Markdown cell or in answers.md, under a heading “{heading}”."


def answers_and_rubric(assignment: Assignment, found: Sequence[Found]) -> dict[str, Any]:
    """Return the fields `answers` and `rubric` of a Result. What was not found needs no `found`."""
    by_exercise = {one.exercise: one for one in found}
    answers, rubric = [], []
    for exercise in assignment.exercises:
        if exercise.prose is None:
            continue
        one = by_exercise.get(exercise.id) or Found(exercise.id)
        answers.append(
            Answer(
                exercise=exercise.id,
                asks=exercise.prose.asks,
                pieces=one.pieces,
                truncated=one.truncated,
                content_hash=content_hash(one),
            )
        )
        rubric += [
            RubricResult(
                id=item.id,
                exercise=exercise.id,
                title=item.title,
                max_points=item.points,
                points=None if one.pieces else 0.0,
                comment="" if one.pieces else NOT_FOUND.format(heading=exercise.prose.headings[0]),
                guidance=item.guidance,
                answered=bool(one.pieces),
            )
            for item in exercise.rubric
        ]
    return {"answers": tuple(answers), "rubric": tuple(rubric)}


def content_hash(found: Found) -> str:
    """Return "sha256:…" over the texts, wherever they were found."""
    text = "\0".join(piece.text for piece in found.pieces)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
