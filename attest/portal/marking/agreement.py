"""How far two people who marked the same answers agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[float, float]  # what the first and the second gave


@dataclass(frozen=True)
class Agreement:
    """Of so many answers that two people marked."""

    pairs: int
    percent: float  # given the same points
    kappa: float | None  # None where chance alone would agree always


def agreement_of(pairs: Sequence[Pair]) -> Agreement | None:
    """Return how far two people agree; None where no answer has two marks."""
    if not pairs:
        return None
    same = sum(first == second for first, second in pairs)
    return Agreement(len(pairs), 100 * same / len(pairs), weighted_kappa(pairs))


def weighted_kappa(pairs: Sequence[Pair]) -> float | None:
    """Return Cohen's kappa with quadratic weights over the points that were given, in their order.

    1 is full agreement, 0 what chance gives (Cohen 1968, "Weighted kappa"). The same as scikit-learn's
    `cohen_kappa_score(…, weights="quadratic")`.
    """
    places = {points: place for place, points in enumerate(sorted({one for pair in pairs for one in pair}))}
    firsts = [places[first] for first, _ in pairs]
    seconds = [places[second] for _, second in pairs]
    seen = sum((first - second) ** 2 for first, second in zip(firsts, seconds, strict=True)) / len(pairs)
    chance = sum((first - second) ** 2 for first in firsts for second in seconds) / len(pairs) ** 2
    return 1 - seen / chance if chance else None
