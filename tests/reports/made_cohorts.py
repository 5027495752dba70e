"""Cohorts for the tests of statistics: for each check a row of shares, one for each student."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.result import CheckResult, Result, Verdict
from tests.reports.result_maker import EXERCISES, result

SKIPPED, BROKEN = "skipped", "broken"


def cohort(
    shares: Mapping[str, Sequence[float | str]],
    worth: Mapping[str, float] | None = None,
    measured: Mapping[tuple[int, str], dict[str, Any]] | None = None,
) -> list[Result]:
    """Return the results of students 0, 1, …: `shares` says what each check gave them, or what became of it.

    `measured` says (student, check) → other fields of that check.
    """
    size = len(next(iter(shares.values()), ()))
    return [
        result(
            f"s{number:04}",
            f"Student {number}",
            checks=tuple(
                _check(
                    name, given[number], (worth or {}).get(name, 1.0), (measured or {}).get((number, name))
                )
                for name, given in shares.items()
            ),
        )
        for number in range(size)
    ]


def _check(name: str, share: float | str, points: float, fields: dict[str, Any] | None) -> CheckResult:
    verdict = Verdict(share) if isinstance(share, str) else Verdict.PASSED if share == 1 else Verdict.FAILED
    exercise = EXERCISES[0][0]
    known: dict[str, Any] = {
        "id": f"{exercise}/{name}",
        "exercise": exercise,
        "title": f"The check {name}.",
        "points": 0.0 if isinstance(share, str) else share * points,
        "max_points": points,
        "verdict": verdict,
        "seconds": 0.02,
        "cpu_seconds": 0.01,
        "peak_memory_bytes": 20 * 2**20,
    }
    return CheckResult(**(known | (fields or {})))
