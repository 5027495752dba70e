"""What a reader sees of one check: points, what it says, the input that fails, what was raised or printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graders.result import CheckResult, StudentError, Verdict
from reports.adjusting import message_of, points_of, words_of
from reports.amounts import points_noun, points_text
from reports.giving import given_for_part
from reports.load_view import MAX_MESSAGE, ErrorView, error_view, output_view
from reports.next_step import Piece, behaves_like
from reports.shown_values import ShownValue, shown_pair, shown_value
from reports.verdict_words import VERDICTS, VerdictWords
from reports.visible_text import ELLIPSIS, Excerpt, excerpt, one_line


@dataclass(frozen=True, slots=True)
class CaseView:
    """A failing input, the smallest where the check could make it smaller."""

    call: str
    inputs: tuple[ShownValue, ...]
    got: ShownValue | None
    expected: ShownValue | None
    largest_difference: str

    @property
    def marked(self) -> int:
        """How many elements differ."""
        return max((value.marked for value in (self.got, self.expected) if value), default=0)

    @property
    def small(self) -> bool:
        """Whether the inputs can stand open on a page."""
        return len(self.inputs) <= 4 and all(value.small for value in self.inputs)

    @property
    def heading(self) -> str:
        """What stands above it; an input of hundreds of numbers is not called small."""
        if not self.inputs and not self.call:
            return "What came and what was expected"
        return "The smallest input that shows it" if self.small else "An input that shows it"


@dataclass(frozen=True, slots=True)
class Link:
    """A place on the same page."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check as a reader sees it."""

    anchor: str
    check: CheckResult
    words: VerdictWords
    points: str
    message: str
    waits_for: tuple[Link, ...]
    case: CaseView | None
    error: ErrorView | None
    stdout: Excerpt
    stderr: Excerpt
    given: str = ""  # that a person gave its points, and why

    @property
    def passed(self) -> bool:
        """Whether there is nothing to explain."""
        dropped = self.check.adjusted is not None and self.check.adjusted.kind == "dropped"
        return self.check.verdict is Verdict.PASSED and not dropped

    @property
    def behaves_like(self) -> tuple[Piece, ...]:
        """The sentence that names the known error, or two of them; () where none is known."""
        return behaves_like(self.check.diagnosis)

    @property
    def hint_label(self) -> str:
        """What the check's own hint is called: code that raised gave no answer that it could be about."""
        stopped = self.check.verdict is Verdict.ERROR and self.check.diagnosis is None
        return "About this check" if stopped else "Hint"

    @property
    def other_hints(self) -> tuple[str, ...]:
        """How to mend the other of two errors at once; the first one's hint is the check's own."""
        also = self.check.diagnosis.also if self.check.diagnosis else ()
        return tuple(other.hint for other in also if other.hint)


def check_view(check: CheckResult, anchors: Mapping[str, str], unmet: Mapping[str, str]) -> CheckView:
    """Return a check as it is shown.

    `anchors` holds where on the page each check is that is shown, by its id; `unmet` the titles of those that
    others may wait for.
    """
    if check.adjusted is not None and (check.adjusted.kind, check.verdict) != ("given", Verdict.PASSED):
        return _adjusted(check, anchors)
    required = [_full_id(check, name) for name in check.requires]
    message = check.message[:MAX_MESSAGE].strip()
    waits_for = tuple(Link(anchors[name], one_line(unmet[name])) for name in required if name in unmet)
    if check.verdict is Verdict.SKIPPED and (waits_for or any(name not in anchors for name in required)):
        message = ""  # it may name a check that is withheld, or says what the links say
    return CheckView(
        anchor=anchors[check.id],
        check=check,
        words=VERDICTS[check.verdict],
        points=f"{points_noun(check.max_points)} pending"
        if check.pending
        else f"{points_text(check.points)} of {points_noun(check.max_points)}",
        message=_without_error(message, check.error) or VERDICTS[check.verdict].sentence,
        waits_for=waits_for if check.verdict is Verdict.SKIPPED else (),
        case=_case(check),
        error=error_view(check.error),
        stdout=output_view(check.stdout, check.output_truncated),
        stderr=output_view(check.stderr, check.output_truncated and not check.stdout),
        given=given_for_part(check),
    )


def _without_error(message: str, error: StudentError | None) -> str:
    """Return a message without what is shown below it: the exception, as far as the message quotes it."""
    if error is None or not error.type:
        return message
    said = one_line(f"{error.type}: {error.message}" if error.message else error.type, MAX_MESSAGE)
    before, name, rest = one_line(message, MAX_MESSAGE).partition(error.type)
    before = before.rstrip()
    quoted = name + rest
    if name and (not before or before.endswith(":")) and said.startswith(quoted.removesuffix(ELLIPSIS)):
        return f"{before.rstrip(' :')}." if before else ""
    if error.message and said in quoted:
        return f"{before} {quoted.replace(said, error.type, 1)}".strip()
    return message


def _adjusted(check: CheckResult, anchors: Mapping[str, str]) -> CheckView:
    """Show a check that was found wrong, without what it said: nobody should mend an answer by it."""
    nothing = {"hint": None, "diagnosis": None, "pictures": (), "facts": ()}
    return CheckView(
        anchor=anchors[check.id],
        check=check.model_copy(update=nothing),
        words=words_of(check),
        points=points_of(check),
        message=message_of(check),
        waits_for=(),
        case=None,
        error=None,
        stdout=output_view("", truncated=False),
        stderr=output_view("", truncated=False),
    )


def _full_id(check: CheckResult, name: str) -> str:
    return name if "/" in name else f"{check.exercise}/{name}"


def _case(check: CheckResult) -> CaseView | None:
    found = check.counterexample
    if found is None:
        return None
    got, expected = shown_pair(found.got, found.expected)
    return CaseView(
        call=excerpt(found.call or "", limit=600, max_lines=12).text,
        inputs=tuple(shown_value(named.name, named.value) for named in found.inputs[:12]),
        got=got,
        expected=expected,
        largest_difference="" if found.largest_difference is None else f"{found.largest_difference:.3g}",
    )
