"""What a report says of a check that was found wrong, and what was decided of it for everybody."""

from __future__ import annotations

from collections.abc import Sequence

from graders.result import CheckResult
from graders.sentences import full_stop
from reports.amounts import count_text, points_noun
from reports.verdict_words import VerdictWords
from reports.visible_text import one_line

_WORDS = {
    "dropped": VerdictWords("Not counted", "–", "wait", "This check was found wrong; it counts for nobody."),
    "given": VerdictWords(
        "Given to all", "✓", "good", "This check was found wrong; everybody has its full points."
    ),
}


def words_of(check: CheckResult) -> VerdictWords:
    """Return how the check is shown, in place of its verdict."""
    assert check.adjusted is not None
    return _WORDS[check.adjusted.kind]


def message_of(check: CheckResult) -> str:
    """Return what is said of the check where it stands."""
    assert check.adjusted is not None
    return f"{words_of(check).sentence} {_reason(check)}"


def points_of(check: CheckResult) -> str:
    """Return what the check counts."""
    assert check.adjusted is not None
    if check.adjusted.kind == "dropped":
        return f"{points_noun(check.adjusted.max_points)} out of the count"
    return f"{points_noun(check.max_points)}, given"


def adjusted_lines(shown: Sequence[CheckResult], withheld: Sequence[CheckResult]) -> tuple[str, ...]:
    """Return a sentence for each check that was adjusted; of those that are withheld only how many."""
    lines = []
    for check in shown:
        if check.adjusted is not None:
            title = one_line(check.title or check.id, 300).rstrip(".")
            worth = points_noun(check.adjusted.max_points)
            what = (
                f"was taken out of the count for everybody ({worth})"
                if check.adjusted.kind == "dropped"
                else f"was given to everybody in full ({worth})"
            )
            lines.append(f"The check “{title}” {what}. {_reason(check)}")
    hidden = sum(check.adjusted is not None for check in withheld)
    if hidden:
        verb = "was" if hidden == 1 else "were"
        lines.append(
            f"{count_text(hidden, 'check')} not shown here {verb} found wrong: adjusted for everybody."
        )
    return tuple(lines)


def _reason(check: CheckResult) -> str:
    assert check.adjusted is not None
    text = one_line(check.adjusted.reason, 500)
    return f"The reason: {text}{full_stop(text)}"
