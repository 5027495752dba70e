"""Whose code takes far more time or memory than the class's does on the same check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reports.cohort import AskedCheck, Row
from reports.graded_checks import FEWEST, GradedChecks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Six times the spread that the class has by itself, and never a difference that nobody would feel: a busy
# machine makes a program wait for seconds, but neither compute for one nor take memory.
SPREADS = 6.0
LEAST_CPU_SECONDS = 1.0
LEAST_SECONDS = 5.0
LEAST_BYTES = 128 * 2**20
_MAD_TO_SIGMA = 1.4826  # of a normal distribution

Kind = Literal["time", "memory"]


@dataclass(frozen=True, slots=True)
class Outlier:
    """One submission that stands out, by the check on which it does most."""

    row: Row
    kind: Kind
    check: AskedCheck | None  # None: while the file was loaded
    value: float  # seconds, or bytes
    cpu_seconds: float | None  # of these seconds; None where it is not known
    usual: float  # the class's median
    more: int  # other checks on which it stands out


def outliers(graded: GradedChecks) -> tuple[Outlier, ...]:
    """Return who stands out, time before memory, the farthest first; nobody where there are too few.

    A value stands out that exceeds the median of the check by more than SPREADS times 1.4826 × the median
    absolute deviation (F. R. Hampel, Journal of the American Statistical Association 69, 1974, pages 383 to
    393), and by a floor: LEAST_CPU_SECONDS of processor time or LEAST_SECONDS by the clock, or LEAST_BYTES.
    """
    if len(graded.rows) < FEWEST:
        return ()
    return (*_in_time(graded), *_in_memory(graded))


def _in_time(graded: GradedChecks) -> list[Outlier]:
    import numpy as np

    loading = np.array([[row.load_seconds] for row in graded.rows], np.float32)
    seconds = np.where(graded.reached, graded.seconds, np.nan)
    cpu_seconds = np.where(graded.reached, graded.cpu_seconds, np.nan)
    far = _far(seconds, LEAST_SECONDS) | _far(cpu_seconds, LEAST_CPU_SECONDS)
    seconds = np.hstack([seconds, loading])
    far = np.hstack([far, _far(loading, LEAST_SECONDS)])
    excess = np.where(far, seconds - _medians(seconds), -np.inf)
    found = []
    for number in np.flatnonzero(far.any(axis=1)):
        at = int(excess[number].argmax())
        known = at < len(graded.checks)
        found.append(
            Outlier(
                row=graded.rows[number],
                kind="time",
                check=graded.checks[at] if known else None,
                value=float(seconds[number, at]),
                cpu_seconds=float(cpu_seconds[number, at]) if known else None,
                usual=float(_medians(seconds[:, [at]])[0]),
                more=int(far[number].sum()) - 1,
            )
        )
    return sorted(found, key=lambda one: one.usual - one.value)


def _in_memory(graded: GradedChecks) -> list[Outlier]:
    """A guest's peak stays as high once it has been reached, so the check is the first that comes near it."""
    import numpy as np

    memory = np.where(graded.reached, graded.memory, np.nan)
    far = _far(memory, LEAST_BYTES)
    usual = _medians(memory)
    found = []
    for number in np.flatnonzero(far.any(axis=1)):
        peak = np.nanmax(memory[number][far[number]])
        at = int(np.flatnonzero(far[number] & (memory[number] >= 0.9 * peak))[0])
        found.append(
            Outlier(
                row=graded.rows[number],
                kind="memory",
                check=graded.checks[at],
                value=float(peak),
                cpu_seconds=None,
                usual=float(usual[at]),
                more=0,
            )
        )
    return sorted(found, key=lambda one: one.usual - one.value)


def _far(values: NDArray[np.float32], least: float) -> NDArray[np.bool_]:
    """Return which of (rows, columns) stand out in their column; in one with too few values none does."""
    import numpy as np

    median = _medians(values)
    spread = _MAD_TO_SIGMA * _medians(np.abs(values - median))
    enough = (~np.isnan(values)).sum(axis=0) >= FEWEST
    far: NDArray[np.bool_] = enough & (values - median > np.maximum(least, SPREADS * spread))
    return far


def _medians(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the median of each column without its NaN; NaN where it has nothing else."""
    import numpy as np

    empty = np.isnan(values).all(axis=0)
    medians: NDArray[np.float32] = np.nanmedian(np.where(empty, 0, values), axis=0)
    return np.where(empty, np.float32(np.nan), medians)
