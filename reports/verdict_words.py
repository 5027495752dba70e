"""What each verdict is called on a page.

A mark and a word always stand together: colour is never the only sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graders.result import Status, Verdict

Tone = Literal["good", "bad", "wait", "ours"]


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """How a verdict is shown: a word, a mark for the eye, a tone for the colour, a sentence."""

    word: str
    mark: str
    tone: Tone
    sentence: str


VERDICTS: dict[Verdict, VerdictWords] = {
    Verdict.PASSED: VerdictWords("Passed", "✓", "good", "Your answer is right."),
    Verdict.FAILED: VerdictWords("Failed", "✗", "bad", "Your answer differs from the one expected."),
    Verdict.ERROR: VerdictWords("Error", "✗", "bad", "Your code raised an error."),
    Verdict.TIMEOUT: VerdictWords("Timeout", "✗", "bad", "Your code ran longer than it may."),
    Verdict.MEMORY: VerdictWords("Memory", "✗", "bad", "Your code used more memory than it may."),
    Verdict.OUTPUT: VerdictWords("Output", "✗", "bad", "Your code printed more than it may."),
    Verdict.CRASHED: VerdictWords("Crashed", "✗", "bad", "Your code ended the Python process that ran it."),
    Verdict.MISSING: VerdictWords("Missing", "✗", "bad", "The name asked for is not defined by your file."),
    Verdict.SKIPPED: VerdictWords(
        "Skipped", "–", "wait", "This check builds on another that has not passed yet."
    ),
    Verdict.BROKEN: VerdictWords(
        "Broken", "?", "ours", "This check failed to do its work. The fault is ours; it costs you no points."
    ),
}

STATUSES: dict[Status, str] = {
    Status.GRADED: "graded",
    Status.UNREADABLE: "unreadable",
    Status.NOT_GRADED: "not graded",
    Status.NOTHING: "nothing handed in",
}
