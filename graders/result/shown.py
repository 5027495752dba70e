"""What a check shows a person beside its sentences: values, the input that fails, pictures, measurements."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from graders.result.frozen import Frozen


class ShownTensor(Frozen):
    """A tensor as it is shown to a person.

    `values` holds the elements in row-major order, cut at the first few hundred; NaN and the
    infinities are the strings "nan", "inf" and "-inf", since JSON has no word for them.
    `marked` holds the flat indices of the elements at fault.
    """

    kind: Literal["tensor"] = "tensor"
    shape: tuple[int, ...]
    dtype: str
    values: tuple[bool | int | float | str, ...]
    truncated: bool = False
    marked: tuple[int, ...] = ()


class ShownText(Frozen):
    """Any other value, already turned into bounded plain text (never markup)."""

    kind: Literal["text"] = "text"
    text: str


Shown = Annotated[ShownTensor | ShownText, Field(discriminator="kind")]


class NamedValue(Frozen):
    """A value and what to call it: an argument's name, or "row 0 alone"."""

    name: str
    value: Shown


class Counterexample(Frozen):
    """The smallest input found that shows the fault, with what came and what was expected."""

    inputs: tuple[NamedValue, ...] = ()
    call: str | None = None  # "causal_mask(3)"
    got: Shown | None = None
    expected: Shown | None = None
    largest_difference: float | None = None  # absent where shapes or types differ


Row = tuple[float, ...]


class MapPicture(Frozen):
    """Which source positions move which target, or how much each target attends to each source.

    A matrix of targets × sources as a grid of shades, 0 (white) to 1 (dark), and the one expected beside it.
    """

    kind: Literal["map"] = "map"
    title: str
    alt: str  # the same in words, for who cannot see it
    got: tuple[Row, ...]  # (targets, sources)
    expected: tuple[Row, ...] | None = None  # of the same shape
    marked: tuple[tuple[int, int], ...] = ()  # the cells (target, source) at fault
    rows: str = "target"  # what a row stands for
    columns: str = "source"
    row_names: tuple[str, ...] = ()  # in place of 0, 1, 2, …
    column_names: tuple[str, ...] = ()
    numbers: bool = False  # write each value into its cell


class BatchesPicture(Frozen):
    """Batches of sequences as bars: each sequence's tokens, and the padding up to the longest beside it."""

    kind: Literal["batches"] = "batches"
    title: str
    alt: str
    batches: tuple[tuple[int, ...], ...]  # lengths in tokens
    beside: tuple[tuple[int, ...], ...] = ()  # batches to compare with
    beside_title: str = ""


Picture = Annotated[MapPicture | BatchesPicture, Field(discriminator="kind")]


class Fact(Frozen):
    """Something measured, that is shown whatever the verdict: "parameters": "66,048"."""

    name: str
    text: str
