"""Sentences that the grader and the reports say alike."""

from __future__ import annotations

from collections.abc import Sequence


def full_stop(text: str) -> str:
    """Return what ends a sentence that ends in `text`: nothing where that ends one itself."""
    return "" if text.endswith(("?", "!", ".", "…")) else "."


def unfinished(submissions: int, done: int, *, interrupted: bool, ended: bool) -> str:
    """Return what is to be known of a run that has not come to its end; "" of one that has."""
    if not ended:
        return "The run goes on still, or it was killed: whoever has no result yet is missing."
    if not interrupted:
        return ""
    left = submissions - done
    if left < 1:
        return "The run was interrupted: whoever has no result yet is missing."
    verbs = "has no result yet and is missing" if left == 1 else "have no result yet and are missing"
    return f"The run was interrupted: {left:,} of {submissions:,} submissions {verbs}."


def read_again(sections: Sequence[str]) -> str:
    """Return the sentence that sends the reader back to parts of the lesson; "" where there are none."""
    return f"Read again: {', '.join(sections)}{full_stop(sections[-1])}" if sections else ""
