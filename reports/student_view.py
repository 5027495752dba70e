"""What one reader may see of a Result, in the order in which it is read.

A student's view names no check that is withheld, and counts its points only once the due date has passed:
otherwise a changing score would answer questions about hidden checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.result import CheckResult, LoadResult, Result, Status, StudentError, Verdict, Visibility
from reports.adjusting import adjusted_lines, message_of, points_of, words_of
from reports.amounts import MomentText, count_text, moment_text, passing_text, points_noun, points_text
from reports.anchors import Audience, check_anchors, is_shown
from reports.giving import given_for_all, given_for_part
from reports.lateness import late_line
from reports.load_view import MAX_MESSAGE, ErrorView, LoadView, error_view, load_view, output_view
from reports.next_step import NextStep, Piece, behaves_like, next_step
from reports.prose_view import ProseView, prose_view
from reports.run_facts import run_facts
from reports.shown_values import ShownValue, shown_pair, shown_value
from reports.verdict_words import VERDICTS, VerdictWords
from reports.visible_text import ELLIPSIS, Excerpt, excerpt, one_line

NOTHING_HANDED_IN = "Nothing was handed in"


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


@dataclass(frozen=True, slots=True)
class ExerciseView:
    """One exercise with the checks that are shown."""

    anchor: str
    title: str
    checks: tuple[CheckView, ...]
    points: float
    max_points: float
    whole: bool  # no check of it is withheld
    prose: ProseView | None = None  # the student's words, where it asks for some
    unnamed: str = ""  # said where failing checks show no known error

    @property
    def passed(self) -> int:
        """How many of the checks shown pass."""
        return sum(check.passed for check in self.checks)

    @property
    def tally(self) -> str:
        """The same in words."""
        return passing_text(self.passed, len(self.checks))


@dataclass(frozen=True, slots=True)
class StudentView:
    """Everything that one page shows."""

    result: Result
    instructor: bool
    name: str
    title: str
    points: float
    max_points: float
    pending: float  # of checks that are our fault
    waiting: float  # of rubric items that wait for a person
    exercises: tuple[ExerciseView, ...]
    load: LoadView
    start: CheckView | None
    freed: str  # what waits for `start`
    praise: tuple[str, ...]
    withheld: str
    facts: tuple[tuple[str, str], ...]
    late: str = ""  # that it came late, and what that takes
    adjusted: tuple[str, ...] = ()  # a sentence for each check that was found wrong
    given: str = ""  # that a person gave the points of the whole, and why

    @property
    def score(self) -> str:
        """The score in words: "12 of 20 points", and what is not decided yet is said by `undecided`."""
        return f"{points_text(self.points)} of {points_noun(self.max_points)}"

    @property
    def attempt(self) -> str:
        """Which attempt this is; nothing that was not handed in is one."""
        return "" if self.result.status is Status.NOTHING else f"attempt {self.result.submission.attempt}"

    @property
    def message(self) -> str:
        """What is said below the heading of work that was not graded, unless it only says the same again."""
        said = self.result.message[:1500]
        return "" if said.strip(" .") == NOTHING_HANDED_IN else said

    @property
    def next_step(self) -> NextStep:
        """What to do next."""
        return next_step(self)

    @property
    def undecided(self) -> str:
        """What a person has still to judge: "8 wait for a person", or nothing."""
        if not self.waiting:
            return ""
        return f"{points_text(self.waiting)} {'waits' if self.waiting == 1 else 'wait'} for a person"

    @property
    def items(self) -> int:
        """How many rubric items there are."""
        return sum(len(e.prose.items) for e in self.exercises if e.prose)

    @property
    def unanswered(self) -> tuple[ExerciseView, ...]:
        """The exercises that ask for words and have none, while points can be had for them."""
        return tuple(
            e
            for e in self.exercises
            if e.prose and not e.prose.answered and any(i.word == "No answer" for i in e.prose.items)
        )

    @property
    def checks(self) -> int:
        """How many checks are shown."""
        return sum(len(exercise.checks) for exercise in self.exercises)

    @property
    def passed(self) -> int:
        """How many of them pass."""
        return sum(exercise.passed for exercise in self.exercises)

    @property
    def broken(self) -> int:
        """How many of them are our fault."""
        return sum(c.check.pending for e in self.exercises for c in e.checks)


def student_view(
    result: Result,
    *,
    audience: Audience = "student",
    after_due: bool = False,
    moment: MomentText = moment_text,
) -> StudentView:
    """Return what `audience` may see of `result`; `after_due` opens the checks that wait for the due date.

    `moment` writes times: as the result has them, unless whoever shows it knows in which zone they are read.
    """
    instructor = audience == "instructor"
    shown = [c for c in result.checks if is_shown(c, audience, after_due)]
    counted = result.checks if instructor or after_due else shown
    anchors = check_anchors(result.checks, audience, after_due)
    unmet = {
        check.id: check.title for check in shown if check.verdict not in (Verdict.PASSED, Verdict.BROKEN)
    }
    # Where nothing could be read, each check would say so once more.
    exercises = (
        ()
        if result.status is Status.UNREADABLE
        else tuple(_exercises(result, shown, anchors, unmet, instructor=instructor))
    )
    views = [view for exercise in exercises for view in exercise.checks]
    start = _start(views)
    load = load_view(_without_repeats(result))
    withheld = [c for c in result.checks if c.id not in anchors]
    earned = sum(c.points for c in counted) + sum(i.points or 0 for i in result.rubric)
    max_points = sum(c.max_points for c in counted) + sum(i.max_points for i in result.rubric)
    pending = sum(c.max_points for c in counted if c.pending)
    judged = max_points - pending - result.waiting_points
    taken = result.late.taken(earned, judged) if result.late else 0.0
    given = result.override
    return StudentView(
        result=result,
        instructor=instructor,
        name=one_line(result.student.name, 120) or one_line(result.student.id, 120) or "Unnamed student",
        title=one_line(result.assignment.title, 200) or one_line(result.assignment.id, 200),
        points=earned - taken if given is None else given.points,
        max_points=max_points if given is None else result.max_points,
        waiting=result.waiting_points,
        pending=pending if given is None else 0.0,
        late=late_line(result.late, earned, taken, moment)
        if result.status is Status.GRADED and not given
        else "",
        adjusted=adjusted_lines(shown, withheld if after_due else ()),
        given=given_for_all(result),
        exercises=exercises,
        load=load,
        start=start,
        freed=_freed(start, views),
        praise=tuple(_praise(exercises)),
        withheld=_withheld_text(withheld, counted=after_due),
        facts=tuple(run_facts(result, shown, instructor, moment)),
    )


def _without_repeats(result: Result) -> LoadResult:
    """Return how it was loaded, without what the page's head says of work that could not be read."""
    if result.status is Status.UNREADABLE and result.load.message == result.message:
        return result.load.model_copy(update={"verdict": Verdict.PASSED, "message": ""})
    return result.load


def _exercises(
    result: Result,
    shown: Sequence[CheckResult],
    anchors: dict[str, str],
    unmet: dict[str, str],
    *,
    instructor: bool,
) -> list[ExerciseView]:
    views: list[ExerciseView] = []
    for number, (exercise, title, checks) in enumerate(result.by_exercise(), 1):
        mine = [c for c in shown if c.exercise == exercise]
        items = [i for i in result.rubric if i.exercise == exercise]
        first = 1 + sum(len(v.prose.items) for v in views if v.prose)
        prose = prose_view(result, exercise, first, instructor=instructor)
        if not mine and prose is None:
            continue
        views.append(
            ExerciseView(
                anchor=f"exercise-{number}",
                title=one_line(title, 200) or one_line(exercise, 200) or f"Exercise {number}",
                checks=tuple(_check(c, anchors, unmet) for c in mine),
                points=sum(c.points for c in mine) + sum(i.points or 0 for i in items),
                max_points=sum(c.max_points for c in mine) + sum(i.max_points for i in items),
                whole=all(c.id in anchors for c in checks),
                prose=prose,
                unnamed=_unnamed(mine, instructor=instructor),
            )
        )
    return views


def _unnamed(checks: Sequence[CheckResult], *, instructor: bool) -> str:
    """Say that failing checks match no known error, once for an exercise."""
    compared = [
        c for c in checks if c.compared and not c.adjusted and (instructor or c.verdict is Verdict.FAILED)
    ]
    unnamed = [c for c in compared if not c.diagnosis]
    if not unnamed:
        return ""
    if not instructor:  # an error that Python names needs no other name
        known = "" if len(unnamed) == len(compared) else "Some of "
        text = "what fails here matches no error that we know."
        return f"{known}{text}" if known else text[0].upper() + text[1:]
    most = max(c.compared.variants for c in unnamed if c.compared)
    alike = sorted({name for c in unnamed if c.compared for name in c.compared.alike})
    text = (
        f"No known pattern in {count_text(len(unnamed), 'failing check')}, "
        f"compared with {count_text(most, 'known error')}."
    )
    return f"{text} Not told apart: {', '.join(one_line(name, 100) for name in alike)}." if alike else text


def _check(check: CheckResult, anchors: dict[str, str], unmet: dict[str, str]) -> CheckView:
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


def _adjusted(check: CheckResult, anchors: dict[str, str]) -> CheckView:
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


def _start(views: Sequence[CheckView]) -> CheckView | None:
    """Return the failing check worth most, the first of them: what to do next."""
    mine = {Verdict.PASSED, Verdict.SKIPPED, Verdict.BROKEN}
    return max(
        (v for v in views if v.check.verdict not in mine and not _is_settled(v.check)),
        key=lambda v: v.check.max_points,
        default=None,
    )


def _is_settled(check: CheckResult) -> bool:
    """Whether a check that did not pass leaves nothing to mend: it was found wrong, or its points given."""
    return check.adjusted is not None or (check.overridden is not None and check.points >= check.max_points)


def _freed(start: CheckView | None, views: Sequence[CheckView]) -> str:
    if start is None:
        return ""
    waiting = [v.check for v in views if any(link.anchor == start.anchor for link in v.waits_for)]
    if not waiting:
        return ""
    verb = "waits" if len(waiting) == 1 else "wait"
    worth = points_noun(sum(c.max_points for c in waiting))
    return f"{count_text(len(waiting), 'more check')} ({worth}) {verb} for it."


def _praise(exercises: Sequence[ExerciseView]) -> list[str]:
    """Return the exercises in which every check passes, and a person found all that was asked."""
    return [
        e.title
        for e in exercises
        if e.checks
        and e.passed == len(e.checks)
        and e.whole
        and all(item.full for item in (e.prose.items if e.prose else ()))
    ]


def _withheld_text(withheld: Sequence[CheckResult], *, counted: bool) -> str:
    """Say how many checks are not shown and what they are worth, and nothing else of them."""
    parts = []
    for visibility, text in (
        (Visibility.AFTER_DUE, "shown after the due date"),
        (Visibility.HIDDEN, "hidden"),
    ):
        some = [c for c in withheld if c.visibility is visibility]
        if some:
            verb = "is" if len(some) == 1 else "are"
            worth = points_noun(sum(c.max_points for c in some))
            parts.append(f"{count_text(len(some), 'check')} ({worth}) {verb} {text}")
    if not parts:
        return ""
    where = "counts them" if counted else "does not count them yet"
    return f"{' and '.join(parts)}. The score above {where}."
