"""Values of a counterexample as small grids that a page or a text can draw.

A tensor with more than two dimensions is drawn as slices `[0, 1, :, :]`; a large one as a window
that holds the first element at fault. Nothing is computed here but how to write numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graders.result import Shown, ShownTensor, ShownText
from reports.visible_text import ELLIPSIS, excerpt, one_line

MAX_ROWS = 12
MAX_COLUMNS = 12
MAX_SLICES = 4
MAX_TEXT = 2000
SMALL = 60  # elements: a tensor up to this size is open on the page, a larger one is folded

Element = bool | int | float | str
Digits = tuple[int, bool]  # decimals, and whether all are whole numbers


@dataclass(frozen=True, slots=True)
class Cell:
    """One element, written out, and whether it is at fault."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix, or a window of it. `rows` holds each row's index (None for a vector) and its cells."""

    place: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int | None, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value ready to be drawn: either `text`, or grids with a shape and a dtype."""

    label: str
    text: str | None = None
    shape: str = ""
    dtype: str = ""
    grids: tuple[Grid, ...] = ()
    scalar: Cell | None = None
    marked: int = 0
    note: str = ""
    size: int = 0
    wanted: bool = False  # what was expected, so its marks are not faults

    @property
    def mark_class(self) -> str:
        """How an element at fault is drawn."""
        return "want" if self.wanted else "off"

    @property
    def small(self) -> bool:
        """Whether it can stand open on a page."""
        return self.size <= SMALL and len(self.text or "") <= 400


def shown_value(label: str, value: Shown, digits: Digits | None = None) -> ShownValue:
    """Return `value` ready to be drawn under `label`."""
    label = one_line(label, 120)
    if isinstance(value, ShownText):
        cut = excerpt(value.text, limit=MAX_TEXT, max_lines=40)
        return ShownValue(label, text=cut.text or " ", note=cut.note)
    digits = digits or digits_for(value.values)
    size = min(math.prod(value.shape), len(value.values)) if all(n >= 0 for n in value.shape) else 0
    common = ShownValue(label, shape=shape_text(value.shape), dtype=one_line(value.dtype, 40), size=size)
    marked = frozenset(index for index in value.marked if 0 <= index < size)
    if size == 0:
        return replace(common, note="It has no elements.")
    if not value.shape:
        return replace(
            common, scalar=Cell(number_text(value.values[0], digits), 0 in marked), marked=len(marked)
        )
    grids, complete = _grids(value, size, marked, digits)
    hidden = not complete or value.truncated or size < math.prod(value.shape)
    return replace(common, grids=grids, marked=len(marked), note="Only a part is shown." if hidden else "")


def shown_pair(got: Shown | None, expected: Shown | None) -> tuple[ShownValue | None, ShownValue | None]:
    """Return both values, written with the same number of decimals: enough to see where they differ.

    Where only one of two tensors of the same shape has marks, both are drawn with them.
    """
    digits = None
    if isinstance(got, ShownTensor) and isinstance(expected, ShownTensor):
        if got.shape == expected.shape:
            marked = got.marked or expected.marked
            got = got.model_copy(update={"marked": marked})
            expected = expected.model_copy(update={"marked": marked})
        digits = digits_that_tell_apart(got, expected)
    return (
        None if got is None else shown_value("You returned", got, digits),
        None if expected is None else replace(shown_value("Expected", expected, digits), wanted=True),
    )


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as Python writes it."""
    if len(shape) > 16:
        return f"({', '.join(map(str, shape[:16]))}, {ELLIPSIS})"
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def digits_for(values: Sequence[Element], decimals: int = 4) -> Digits:
    """Return how to write `values`: whole numbers with one decimal, others with `decimals`."""
    whole = all(not isinstance(v, float) or (v.is_integer() and abs(v) < 1e6) for v in values)
    return decimals, whole


def number_text(value: Element, digits: Digits) -> str:
    """Return one element as text, with a decimal point that lines up with its neighbours'."""
    if isinstance(value, str):
        return one_line(value, 24)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**18:
        return f"about 10^{value.bit_length() * 3 // 10}"
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    decimals, whole = (1, True) if digits[1] else digits
    if not whole and value != 0 and (abs(value) >= 1e6 or abs(value) < 10.0**-decimals):
        return f"{value:.{min(decimals, 6)}e}"
    return f"{value + 0.0:.{decimals}f}"


def digits_that_tell_apart(got: ShownTensor, expected: ShownTensor) -> Digits:
    """Return how to write both, so that two digits of the smallest difference are seen."""
    values = (*got.values, *expected.values)
    pairs = [
        (got.values[i], expected.values[i])
        for i in got.marked
        if 0 <= i < min(len(got.values), len(expected.values)) and got.values[i] != expected.values[i]
    ][:200]
    smallest = min((d for a, b in pairs if (d := _distance(a, b)) > 0), default=1.0)
    needed = 1 - math.floor(math.log10(smallest))
    return digits_for(values, next((d for d in (4, 6, 9, 12) if d >= needed), 16))


def _distance(a: Element, b: Element) -> float:
    if isinstance(a, str) or isinstance(b, str):
        return 0.0
    try:
        distance = abs(float(a) - float(b))
    except OverflowError:
        return 0.0
    return distance if math.isfinite(distance) else 0.0


def _grids(
    value: ShownTensor, size: int, marked: frozenset[int], digits: Digits
) -> tuple[tuple[Grid, ...], bool]:
    """Return the slices to draw and whether they are the whole tensor."""
    *leading, height, width = value.shape if len(value.shape) > 1 else (1, value.shape[0])
    area = height * width
    number = -(-size // area)
    slices = sorted({index // area for index in marked})[:MAX_SLICES]
    slices += [s for s in range(min(number, 2 * MAX_SLICES)) if s not in slices][: MAX_SLICES - len(slices)]
    vector = len(value.shape) == 1
    grids = []
    for which in sorted(slices):
        start = which * area
        faults = [index - start for index in marked if start <= index < start + area]
        row, column = divmod(min(faults), width) if faults else (0, 0)
        rows = _window(height, row, MAX_ROWS)
        columns = _window(width, column, MAX_COLUMNS)
        drawn = []
        for r in rows:
            places = range(start + r * width + columns.start, start + r * width + columns.stop)
            cells = tuple(
                Cell(number_text(value.values[p], digits) if p < size else ELLIPSIS, p in marked)
                for p in places
            )
            drawn.append((None if vector else r, cells))
        place = "" if not leading else f"[{', '.join(map(str, unravel(which, leading)))}, :, :]"
        grids.append(Grid(place, tuple(columns), tuple(drawn)))
    complete = number <= MAX_SLICES and height <= MAX_ROWS and width <= MAX_COLUMNS
    return tuple(grids), complete


def _window(length: int, wanted: int, most: int) -> range:
    """Return at most `most` indices below `length` that hold `wanted`."""
    start = max(0, min(wanted - most // 2, length - most))
    return range(start, min(length, start + most))


def unravel(flat: int, shape: Sequence[int]) -> list[int]:
    """Return the index of a tensor's element whose place in row-major order is `flat`."""
    index: list[int] = []
    for length in reversed(shape):
        flat, rest = divmod(flat, length)
        index.insert(0, rest)
    return index
