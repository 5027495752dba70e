"""What each check says of a class: how difficult it is, and whether those who know the rest pass it.

Classical item analysis (L. Crocker and J. Algina, Introduction to Classical and Modern Test Theory, 1986,
chapter 14). The correlation of a check with the score leaves the check itself out of the score, as
S. Henrysson's correction asks (Psychometrika 28, 1963, pages 211 to 218): otherwise each check agrees with
itself, the more the fewer there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

from reports.graded_checks import FEWEST, GradedChecks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_EITHER_SIDE = 3  # a warning that rests on one or two students is theirs, not the check's

Undefined = Literal["", "few", "check alike", "others alike"]


@dataclass(frozen=True, slots=True)
class CheckStatistics:
    """One check over the graded submissions that reached it: that it judged and did not skip.

    `difficulty` is the mean share of its points that was earned, from 0 to 1: high is easy, as in the
    literature. `discrimination` is the correlation of that share with the share earned of the points of all
    other checks, the point-biserial one where no points are given in part; None where `undefined` says why.
    """

    reached: int
    difficulty: float | None
    discrimination: float | None
    undefined: Undefined
    rest_of_passing: float | None  # mean share of the other checks' points, of those who pass this one
    rest_of_failing: float | None
    suspect: bool  # those who fail it do better elsewhere than those who pass it, by more than chance alone


def check_statistics(graded: GradedChecks) -> dict[str, CheckStatistics]:
    """Return the statistics of every check by its id."""
    import numpy as np

    worth = np.array([check.max_points for check in graded.checks], dtype=float)
    most = np.where(graded.judged, worth, 0.0)
    earned = np.where(graded.judged, graded.shares * worth, 0.0)
    all_most, all_earned = most.sum(axis=1), earned.sum(axis=1)
    found = {}
    for number, check in enumerate(graded.checks):
        others = all_most - most[:, number]
        known = graded.reached[:, number] & (others > 0)
        rest = np.divide(all_earned - earned[:, number], others, out=np.zeros_like(others), where=others > 0)
        found[check.id] = _statistics(
            graded.shares[graded.reached[:, number], number].astype(float),
            graded.shares[known, number].astype(float),
            rest[known],
            graded.passed[known, number],
        )
    return found


def _statistics(
    reached: NDArray[np.float64],
    shares: NDArray[np.float64],
    rest: NDArray[np.float64],
    passed: NDArray[np.bool_],
) -> CheckStatistics:
    value: float | None = None
    undefined: Undefined = ""
    if len(shares) < FEWEST:
        undefined = "few"
    elif _alike(shares):
        undefined = "check alike"
    elif _alike(rest):
        undefined = "others alike"
    else:
        value = correlation(shares, rest)
    either_side = min(int(passed.sum()), int((~passed).sum()))
    return CheckStatistics(
        reached=len(reached),
        difficulty=float(reached.mean()) if len(reached) else None,
        discrimination=value,
        undefined=undefined,
        rest_of_passing=float(rest[passed].mean()) if passed.any() else None,
        rest_of_failing=float(rest[~passed].mean()) if not passed.all() else None,
        # Of two things that have nothing to do with each other, r strays from 0 by 1 / √(n - 1).
        suspect=value is not None
        and value < -1 / sqrt(len(shares) - 1)
        and either_side >= FEWEST_EITHER_SIDE,
    )


def correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Pearson's correlation of two arrays that both vary; with one of 0 and 1, the point-biserial."""
    one, other = first - first.mean(), second - second.mean()
    value = float(one @ other) / sqrt(float(one @ one) * float(other @ other))
    return max(-1.0, min(1.0, value))


def _alike(values: NDArray[np.float64]) -> bool:
    """Whether all are the same but for rounding."""
    return float(values.max() - values.min()) < 1e-6
