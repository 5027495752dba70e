"""Pictures of a Result as shapes that a template writes down as SVG.

Lengths are in the units of the drawing's viewBox. What is at fault has a frame and a sign, never a colour
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.result import MapPicture, Picture, Row
from reports.visible_text import one_line, visible_text

CELL = 26
CELL_WITH_NUMBER = 38
LEFT, TOP = 46, 40  # room for the axes' names and the positions
MOST_CELLS = 32  # rows and columns of a map
MOST_BARS = 48
DARKEST = 0.45  # so that what is written into a cell can be read, on light and on dark pages
BAR, BAR_GAP, BATCH_GAP = 7, 2, 7
BARS_WIDTH = 280


@dataclass(frozen=True, slots=True)
class CellShape:
    """One cell of a map."""

    x: int
    y: int
    shade: float  # opacity
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Label:
    """A row's or a column's name at its place."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class MapPanel:
    """A map: what came, or what was expected."""

    title: str
    width: int
    height: int
    cell: int
    cells: tuple[CellShape, ...]
    row_labels: tuple[Label, ...]
    column_labels: tuple[Label, ...]
    row_axis: Label
    column_axis: Label


@dataclass(frozen=True, slots=True)
class BarShape:
    """One sequence: its tokens, and the padding beside them."""

    y: int
    tokens: float
    padding: float


@dataclass(frozen=True, slots=True)
class BarsPanel:
    """Batches, one below the other."""

    title: str
    width: int
    height: int
    bars: tuple[BarShape, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture ready to be written down."""

    title: str
    alt: str
    maps: tuple[MapPanel, ...] = ()
    bars: tuple[BarsPanel, ...] = ()
    marked: bool = False


def drawing(picture: Picture) -> Drawing:
    """Return the shapes of a picture."""
    title, alt = one_line(picture.title, 200), visible_text(picture.alt[:1000])
    if isinstance(picture, MapPicture):
        maps = [_map(picture, picture.got, "What came" if picture.expected else "", picture.marked)]
        if picture.expected:
            maps.append(_map(picture, picture.expected, "What was expected", ()))
        return Drawing(title, alt, maps=tuple(maps), marked=bool(picture.marked))
    longest = max((n for batch in (*picture.batches, *picture.beside) for n in batch), default=0)
    panels = [_bars(picture.batches, "Your batches" if picture.beside else "", longest)]
    if picture.beside:
        panels.append(_bars(picture.beside, one_line(picture.beside_title, 80), longest))
    return Drawing(title, alt, bars=tuple(panels))


def _map(picture: MapPicture, rows: Sequence[Row], title: str, marked: Sequence[tuple[int, int]]) -> MapPanel:
    cell = CELL_WITH_NUMBER if picture.numbers else CELL
    shown = [row[:MOST_CELLS] for row in rows[:MOST_CELLS]]
    columns = max((len(row) for row in shown), default=0)
    at_fault = set(marked)
    cells = tuple(
        CellShape(
            x=LEFT + column * cell,
            y=TOP + row * cell,
            shade=round(DARKEST * min(max(value, 0.0), 1.0), 3),
            text=_number(value) if picture.numbers else "",
            marked=(row, column) in at_fault,
        )
        for row, values in enumerate(shown)
        for column, value in enumerate(values)
    )
    return MapPanel(
        title=title,
        width=LEFT + columns * cell + 4,
        height=TOP + len(shown) * cell + 4,
        cell=cell,
        cells=cells,
        row_labels=tuple(
            Label(LEFT - 6, TOP + (row + 0.5) * cell, _name(picture.row_names, row))
            for row in range(len(shown))
        ),
        column_labels=tuple(
            Label(LEFT + (column + 0.5) * cell, TOP - 6, _name(picture.column_names, column))
            for column in range(columns)
        ),
        row_axis=Label(12, TOP + len(shown) * cell / 2, one_line(picture.rows, 40)),
        column_axis=Label(LEFT + columns * cell / 2, 12, one_line(picture.columns, 40)),
    )


def _name(names: Sequence[str], index: int) -> str:
    return one_line(names[index], 8) if index < len(names) else str(index)


def _number(value: float) -> str:
    """Return a weight in as few signs as tell it: 0, .25, 1, and never 0 for what is not."""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    text = f"{value:.2f}"
    if text in ("0.00", "1.00"):
        return "<.01" if text == "0.00" else ">.99"
    return text.removeprefix("0")


def _bars(batches: Sequence[Sequence[int]], title: str, longest: int) -> BarsPanel:
    scale = BARS_WIDTH / max(longest, 1)
    bars: list[BarShape] = []
    y = 0
    left_out = 0
    for batch in batches:
        if len(bars) + len(batch) > MOST_BARS:
            left_out += 1
            continue
        widest = max(batch, default=0)
        for length in batch:
            bars.append(BarShape(y, round(length * scale, 1), round((widest - length) * scale, 1)))
            y += BAR + BAR_GAP
        y += BATCH_GAP
    note = f"{left_out} more batches are not drawn." if left_out else ""
    return BarsPanel(title, BARS_WIDTH, max(y, 1), tuple(bars), note)
