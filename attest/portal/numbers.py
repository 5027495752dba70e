"""Numbers of rows, as forms and launches name them."""

from __future__ import annotations


def row_number(text: str) -> int:
    """Return the number that somebody sent; 0, which no row has, for what cannot be one.

    No database keeps one of more than 18 digits, and Python refuses to read one of thousands.
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
