"""Sentences that the grader and the reports say alike."""

from __future__ import annotations

from collections.abc import Sequence


def full_stop(text: str) -> str:
    """Return what ends a sentence that ends in `text`: nothing where that ends one itself."""
    return "" if text.endswith(("?", "!", ".", "…")) else "."


def read_again(sections: Sequence[str]) -> str:
    """Return the sentence that sends the reader back to parts of the lesson; "" where there are none."""
    return f"Read again: {', '.join(sections)}{full_stop(sections[-1])}" if sections else ""
