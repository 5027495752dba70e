"""Turning values into what a person is shown: bounded, plain text, never markup.

Every value here may come from a student; nothing in it is trusted, called or formatted by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

import torch

from graders.result import Shown, ShownTensor, ShownText

MOST_ELEMENTS = 256  # of a shown tensor; a page shows a few rows, not a data set
MOST_TEXT = 2000
MOST_LINE = 200
MOST_ITEMS = 8
MOST_DEPTH = 3

# Terminal escapes (CSI, OSC and the two-byte ones), then every other control character but newline and
# tab, and the marks that reorder text on a screen.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]")
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def plain(text: str, limit: int = MOST_TEXT) -> str:
    """Return `text` as bounded plain text: no escapes, no control characters but newline and tab."""
    kept = text[: 4 * limit + 1024]
    kept = _CONTROLS.sub("", _ESCAPES.sub("", kept.replace("\r\n", "\n").replace("\r", "\n")))
    if len(kept) > limit or len(text) > 4 * limit + 1024:
        return kept[: limit - 1] + "…"
    return kept


def line(text: str, limit: int = MOST_LINE) -> str:
    """Return `text` as plain text on one line."""
    return plain(" ".join(plain(text, 4 * limit).split()), limit)


def show(value: Any, marked: Iterable[int] = ()) -> Shown:
    """Return a value as it is shown in a report; `marked` holds flat indices of elements at fault."""
    if isinstance(value, torch.Tensor):
        return _show_tensor(value, marked)
    return ShownText(text=plain(written(value)))


def _show_tensor(value: torch.Tensor, marked: Iterable[int]) -> ShownTensor:
    flat = value.detach().reshape(-1)[:MOST_ELEMENTS].cpu()
    elements = tuple(_json_number(element) for element in flat.tolist())
    return ShownTensor(
        shape=tuple(value.shape),
        dtype=dtype_name(value.dtype),
        values=elements,
        truncated=value.numel() > MOST_ELEMENTS,
        marked=tuple(sorted(index for index in set(marked) if 0 <= index < len(elements))),
    )


def _json_number(element: Any) -> bool | int | float | str:
    if isinstance(element, bool | int):
        return element
    if isinstance(element, float):
        return element if math.isfinite(element) else str(element)
    return str(element)  # complex


def dtype_name(dtype: torch.dtype) -> str:
    """Return "float64" for torch.float64."""
    return str(dtype).removeprefix("torch.")


def number(value: Any) -> str:
    """Return a number as it stands in a sentence: four significant digits, exact for integers and bools."""
    if isinstance(value, bool | int):
        return _integer(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, complex):
        return f"{value:.4g}"
    return line(str(value), 40)


def _integer(value: int) -> str:
    # Python refuses to write out integers beyond 4300 digits.
    if not isinstance(value, bool) and value.bit_length() > 256:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    return str(value)


def shape(value: torch.Tensor) -> str:
    """Return a tensor's shape as Python writes it."""
    return str(tuple(value.shape))


def describe(value: Any) -> str:  # noqa: PLR0911 - one line per kind of value
    """Return a few words for what came: "None", "a list of 2 items", "a float64 tensor of shape (2, 3)"."""
    if isinstance(value, torch.Tensor):
        dtype = dtype_name(value.dtype)
        return f"{'an' if dtype.startswith('int') else 'a'} {dtype} tensor of shape {shape(value)}"
    if value is None:
        return "None"
    if isinstance(value, bool | int | float | complex):
        return f"the {type(value).__name__} {number(value)}"
    if isinstance(value, str):
        return f"the text {line(value, 60)!r}"
    if isinstance(value, torch.dtype):
        return f"the dtype {dtype_name(value)}"
    if isinstance(value, list | tuple | dict | bytes):
        word = "bytes" if isinstance(value, bytes) else "items"
        count = f"1 {word.removesuffix('s')}" if len(value) == 1 else f"{len(value)} {word}"
        return f"a {type(value).__name__} of {count}"
    # A handle on an object that stays in the guest has a text, an exception that came as a value a type name.
    text, name = getattr(value, "text", None), getattr(value, "type_name", None)
    if isinstance(text, str) and text:
        return line(text, 120)
    return line(
        f"an exception {name}" if isinstance(name, str) else f"an object of type {type(value).__name__}"
    )


def written(value: Any, depth: int = 0) -> str:
    """Return a value written out, bounded in every direction."""
    if isinstance(value, bool | int | float | complex):
        return number(value) if not isinstance(value, float) else repr(value)
    if isinstance(value, str):
        return repr(plain(value, MOST_LINE))
    if isinstance(value, list | tuple) and depth < MOST_DEPTH:
        items = [written(item, depth + 1) for item in islice(value, MOST_ITEMS)]
        items += ["…"] if len(value) > MOST_ITEMS else []
        comma = "," if isinstance(value, tuple) and len(items) == 1 else ""
        inner = ", ".join(items) + comma
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict) and depth < MOST_DEPTH:
        pairs = [
            f"{written(k, depth + 1)}: {written(v, depth + 1)}" for k, v in islice(value.items(), MOST_ITEMS)
        ]
        return "{" + ", ".join(pairs + (["…"] if len(value) > MOST_ITEMS else [])) + "}"
    if isinstance(value, torch.Tensor) and depth and value.numel() == 1:
        return f"tensor({number(value.detach().reshape(-1).tolist()[0])})"
    return describe(value)
