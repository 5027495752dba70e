"""Which submissions share code that the others do not have.

Every run of RUN labels is a mark (as in Schleimer, Wilkerson and Aiken, "Winnowing", SIGMOD 2003, with all
runs kept: exercises are short). Marks of the starter files count for nothing, nor do those of known
solutions or those that many submissions have: they are what the task makes everybody write. Of what is left
a mark weighs the more, the fewer have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graders.likeness.labels import Label

RUN = 10  # labels: about one statement of ordinary length
# A mark that this share of a cohort has is common: nobody has it from another.
_COMMON_SHARE = 0.05
_COMMON_AT_LEAST, _COMMON_AT_MOST = 4, 60
LEAST = 0.5  # of the rarer program's own code
LEAST_LABELS = 45  # of shared code of their own: three or four statements


@dataclass(frozen=True)
class Pair:
    """Two submissions, by their places in what was compared, and how much of their own code they share."""

    first: int
    second: int
    likeness: float  # 0 to 1: of the one with less code of its own, the share that the other has too
    labels: int  # of shared code of their own


@dataclass(frozen=True)
class Comparison:
    """All pairs above the bounds, the most alike first; groups of submissions that pairs hold together."""

    pairs: tuple[Pair, ...]
    groups: tuple[tuple[int, ...], ...]
    _marks: tuple[NDArray[np.int64], ...]
    _labels: tuple[Sequence[Label], ...]
    _dull: NDArray[np.int64]

    def shared_lines(self, pair: Pair) -> tuple[frozenset[int], frozenset[int]]:
        """Return the lines of the first and the second that hold shared code of their own."""
        shared = np.setdiff1d(np.intersect1d(self._marks[pair.first], self._marks[pair.second]), self._dull)
        return self._lines(pair.first, shared), self._lines(pair.second, shared)

    def _lines(self, index: int, shared: NDArray[np.int64]) -> frozenset[int]:
        labels = self._labels[index]
        starts = np.flatnonzero(np.isin(self._marks[index], shared))
        return frozenset(label.line for start in starts.tolist() for label in labels[start : start + RUN])


def marks_of(labels: Sequence[Label]) -> NDArray[np.int64]:
    """Return the mark of every run, in the order of the text."""
    codes = np.array([crc32(label.text.encode()) for label in labels], dtype=np.uint64)
    if len(codes) < RUN:
        return np.empty(0, dtype=np.int64)
    marks = np.zeros(len(codes) - RUN + 1, dtype=np.uint64)
    for offset in range(RUN):  # a polynomial modulo 2**64; its odd factor loses nothing of any label
        marks = marks * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + len(marks)]
        marks ^= marks >> np.uint64(29)
    return marks.view(np.int64)


def compare(
    programs: Sequence[Sequence[Label]],
    common: Iterable[Sequence[Label]] = (),
    *,
    least: float = LEAST,
    least_labels: int = LEAST_LABELS,
) -> Comparison:
    """Compare every program with every other; `common` are starter files and known solutions."""
    marks = tuple(marks_of(labels) for labels in programs)
    dull = _dull(marks, [marks_of(labels) for labels in common])
    own = [np.setdiff1d(one, dull) for one in marks]
    numbers, owners, begins, weights = _postings(own)
    pairs = []
    places = [np.searchsorted(numbers, one) for one in own]
    mass = np.array([weights[mine].sum() for mine in places])
    for index, one in enumerate(own):
        shared = np.zeros(len(own))
        for place in places[index].tolist():
            holders = owners[begins[place] : begins[place + 1]]
            shared[holders] += weights[place]
        shared[: index + 1] = 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            likeness = np.nan_to_num(shared / np.minimum(mass, mass[index]))
        for other in np.flatnonzero(likeness >= least).tolist():
            labels = _covered(marks[index], np.intersect1d(one, own[other]))
            if labels >= least_labels:
                pairs.append(Pair(index, other, min(1.0, float(likeness[other])), labels))
    pairs.sort(key=lambda pair: (-pair.likeness * math.log(pair.labels), pair.first, pair.second))
    return Comparison(tuple(pairs), _groups(pairs), marks, tuple(programs), dull)


def _dull(marks: Sequence[NDArray[np.int64]], common: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the marks that say nothing of who wrote a program, sorted."""
    every = np.concatenate([np.unique(one) for one in marks] or [np.empty(0, dtype=np.int64)])
    numbers, counts = np.unique(every, return_counts=True)
    most = min(max(_COMMON_AT_LEAST, round(_COMMON_SHARE * len(marks))), _COMMON_AT_MOST)
    return np.unique(np.concatenate([numbers[counts > most], *common]))


def _postings(
    own: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the marks that there are, who has each, and its weight.

    Those who have mark k are at begins[k] : begins[k + 1].
    """
    every = np.concatenate([*own, np.empty(0, dtype=np.int64)])
    whose = np.repeat(np.arange(len(own)), [len(one) for one in own])
    order = np.argsort(every, kind="stable")
    numbers, begins = np.unique(every[order], return_index=True)
    begins = np.append(begins, len(every))
    weights = np.log(len(own) + 1.0) - np.log(np.diff(begins)) if len(numbers) else np.empty(0)
    return numbers, whose[order], begins, weights


def _covered(marks: NDArray[np.int64], shared: NDArray[np.int64]) -> int:
    """Return how many labels the runs of shared marks cover."""
    starts = np.flatnonzero(np.isin(marks, shared)).tolist()
    return sum(min(RUN, later - start) for start, later in pairwise([*starts, 2**62]))


def _groups(pairs: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of more than two that pairs hold together, the largest first."""
    leader: dict[int, int] = {}

    def find(one: int) -> int:
        while leader.setdefault(one, one) != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    for pair in pairs:
        leader[find(pair.first)] = find(pair.second)
    groups: dict[int, list[int]] = {}
    for one in sorted(leader):
        groups.setdefault(find(one), []).append(one)
    return tuple(sorted((tuple(group) for group in groups.values() if len(group) > 2), key=len, reverse=True))
