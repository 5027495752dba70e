"""Graded submissions × checks as arrays: what the statistics of a cohort are worked out from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graders.result import Status, Verdict
from reports.amounts import count_text
from reports.cohort import VERDICT_ORDER, AskedCheck, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 10  # submissions: with fewer, a statistic of the class is the accident of one or two


def too_few(graded: int, what: str) -> str:
    """Say that so many graded submissions do not tell `what`; "" where there are enough."""
    if graded >= FEWEST:
        return ""
    verb = "is" if graded == 1 else "are"
    return f"{count_text(graded, 'graded submission')} {verb} too few to tell {what}: it takes {FEWEST}."


@dataclass(frozen=True)
class GradedChecks:
    """The graded rows of a cohort; every array is (rows, checks), and NaN or False where nothing is known."""

    rows: tuple[Row, ...]
    checks: tuple[AskedCheck, ...]
    shares: NDArray[np.float32]  # of each check's points that were earned
    seconds: NDArray[np.float32]
    cpu_seconds: NDArray[np.float32]
    memory: NDArray[np.float32]  # peak, in bytes
    judged: NDArray[np.bool_]  # neither broken nor another assignment's
    reached: NDArray[np.bool_]  # judged, and not skipped for want of another check
    passed: NDArray[np.bool_]


def graded_checks(rows: Sequence[Row]) -> GradedChecks:
    """Return the graded ones of `rows` as arrays. Rows of whom other checks were asked have none of these."""
    import numpy as np

    graded = tuple(row for row in rows if row.status is Status.GRADED)
    # By identity: rows of whom the same was asked share one tuple, and hashing it for each takes seconds.
    distinct = {id(row.checks): row.checks for row in graded}
    checks = {check.id: check for asked in distinct.values() for check in asked}
    column = {identity: number for number, identity in enumerate(checks)}
    columns = {key: np.array([column[c.id] for c in asked], dtype=int) for key, asked in distinct.items()}

    def filled(values: Callable[[Row], object], kind: type) -> NDArray[np.float32]:
        whole = np.full((len(graded), len(checks)), np.nan, np.float32)
        for number, row in enumerate(graded):
            whole[number, columns[id(row.checks)]] = np.frombuffer(values(row), kind)  # type: ignore[call-overload]
        return whole

    codes = filled(lambda row: row.verdict_codes, np.uint8)
    judged = ~np.isnan(codes) & (codes != VERDICT_ORDER.index(Verdict.BROKEN))
    return GradedChecks(
        rows=graded,
        checks=tuple(checks.values()),
        shares=filled(lambda row: row.shares, np.float32),
        seconds=filled(lambda row: row.check_seconds, np.float32),
        cpu_seconds=filled(lambda row: row.check_cpu_seconds, np.float32),
        memory=filled(lambda row: row.check_memory, np.float32),
        judged=judged,
        reached=judged & (codes != VERDICT_ORDER.index(Verdict.SKIPPED)),
        passed=codes == VERDICT_ORDER.index(Verdict.PASSED),
    )
