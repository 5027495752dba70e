"""Finding shapes and rows of numbers in what a program printed, whatever way it printed them.

Tensors, lists, numpy arrays, `:.2f`, scientific notation, percentages and "token 0: 0.25" all count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch
from torch import Tensor

MOST_NUMBERS = 20_000
MOST_ROWS = 4096
MOST_COMPARED = 2**25  # numbers, for one question
# Two numbers differ by no more than this when they are the same in float32.
_SINGLE = 1e-6
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}m")  # what a terminal shows in colour
# Every so manieth number is one of a row: "0.25", "1: 0.25", "0 -> 1: 0.25", "weights[0, 0, 1] = 0.25".
_STEPS = (1, 2, 3, 4)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([-+]?\d{1,3}))?(?![\w])(\s?%)?")


def printed_shape(text: str, shape: Sequence[int]) -> bool:
    """Return whether a shape was printed: "(3, 4, 8)", "torch.Size([3, 4, 8])", "3 x 4 x 8", "B=3, T=4"."""
    # Blanks that may be many, beside others that may be many, would be tried in every division.
    text = " ".join(_COLOUR.sub("", text).split())
    between = r" ?[,x×*;|/]? ?(?:(?:[A-Za-z_]{1,40} ){0,2}[A-Za-z_]{1,40} ?[=:]? ?)?"
    before, after = r"(?<![\w.])(?<!\d, )(?<!\d,)", r"(?!\w|\.\d| ?[,x×*] ?\d)"
    return re.search(before + between.join(map(str, shape)) + after, text) is not None


def printed_row(text: str, rows: Tensor) -> int | None:
    """Return the first of `rows` (rows, numbers) that was printed at the precision at which it was printed.

    The numbers stand one after another, or with up to three others between them, such as indices. A row with
    less than two decimals ([1, 0, 0] or [0.4, 0.6]) counts as one with three, of which zeros were left out:
    taken as it stands it would be like too many others.
    """
    width = rows.shape[-1]
    found = _numbers(_COLOUR.sub("", text))
    if not found or not rows.numel():
        return None
    rows = rows[:MOST_ROWS]
    sums = rows.sum(-1)[rows.isfinite().all(-1)]
    if not len(sums):
        return None
    least, largest = sums.min(), sums.max()
    table = torch.tensor(found, dtype=torch.float64)
    for step in _STEPS:
        span = (width - 1) * step + 1
        if len(table) < span:
            continue
        values, decimals, scientific = table.unfold(0, span, 1)[..., ::step].unbind(1)
        most = torch.where(scientific.bool(), 0.0, decimals).amax(1, keepdim=True)
        decimals = torch.where(scientific.bool(), decimals, most)
        # With three decimals and more, numbers may have been cut off in place of rounded.
        allowed = (
            torch.where(decimals >= 3, 10.0**-decimals, torch.where(decimals >= 2, 0.005, 0.0005)) + _SINGLE
        )
        # Few places have numbers that add up to what a row adds up to.
        total, slack = values.sum(-1), width * allowed.amax(-1)
        near = ((total >= least - slack) & (total <= largest + slack)).nonzero()[:, 0]
        near = near[: MOST_COMPARED // rows.numel()]
        for start in range(0, len(near), 256):
            some = near[start : start + 256]
            hits = ((values[some, None] - rows[None]).abs() <= allowed[some, None]).all(-1).any(0).nonzero()
            if len(hits):
                return int(hits[0])
    return None


def _numbers(text: str) -> list[tuple[float, float, float]]:
    """Each number in the text: its value, its decimals, and whether it is in scientific notation."""
    found = []
    for match in _NUMBER.finditer(text):
        fraction, exponent, percent = match[1] or match[2] or "", match[3], match[4]
        value, decimals = float(match[0].rstrip(" %")), float(len(fraction) - int(exponent or 0))
        if percent:
            value, decimals = value / 100, decimals + 2
        found.append((value, decimals, float(exponent is not None)))
        if len(found) == MOST_NUMBERS:
            break
    return found
