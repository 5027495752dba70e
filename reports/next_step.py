"""What a student should do next, and the name of the error that a check shows: said once, for every report.

A text is a sequence of pieces, since each kind of report sets an author's names and a stranger's words apart
in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graders.result import Diagnosis, Status, Verdict
from graders.sentences import full_stop
from reports.amounts import passing_text, points_noun
from reports.visible_text import one_line

if TYPE_CHECKING:
    from reports.exercise_view import ExerciseView
    from reports.student_view import StudentView


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a sentence."""

    text: str
    kind: Literal["ours", "message", "name", "section"] = "ours"  # a message quotes names in ticks
    anchor: str = ""  # where it leads to, on a page


@dataclass(frozen=True, slots=True)
class NextStep:
    """A heading, and what is said below it."""

    title: str  # "Start here"
    what: str  # the rest of the heading, a link on a page; may be ""
    anchor: str
    worth: str  # what is at stake
    paragraphs: tuple[tuple[Piece, ...], ...]


def plain_pieces(pieces: Sequence[Piece]) -> str:
    """Return a sentence without any markup."""
    return "".join(piece.text for piece in pieces)


def behaves_like(diagnosis: Diagnosis | None) -> tuple[Piece, ...]:
    """Return the sentence that names the error, or both, with the sections to read again; () for none."""
    if diagnosis is None:
        return ()
    errors = (diagnosis, *diagnosis.also)
    names = [one_line(error.title) for error in errors]
    sections = list(dict.fromkeys(one_line(error.section) for error in errors if error.section))
    pieces = [Piece("Your code behaves like ")]
    pieces += _listed([Piece(name, "name") for name in names], " and, at the same time, ")
    pieces.append(Piece(full_stop(names[-1])))
    if sections:
        pieces.append(Piece(" Read again: "))
        pieces += _listed([Piece(section, "section") for section in sections], ", ")
        pieces.append(Piece(full_stop(sections[-1])))
    return tuple(piece for piece in pieces if piece.text)


def next_step(view: StudentView) -> NextStep:
    """Return what to do next, of work that was graded."""
    besides = (Piece("Besides, no"), *_unanswered(view.unanswered)) if view.unanswered else ()
    loading = start_with_loading(view)
    if loading:
        said = [(Piece(loading, "message"),), besides]
        return _start(f"loading {view.load.path}".strip(), "loading", said)
    if view.start is not None:
        check = view.start.check
        said = [(Piece(start_message(view), "message"),), view.start.behaves_like, besides]
        worth = f"{points_noun(check.max_points - check.points)} at stake. {view.freed}".rstrip()
        return _start(one_line(check.title or check.id), view.start.anchor, said, worth)
    return _nothing_fails(view)


def _nothing_fails(view: StudentView) -> NextStep:
    passes = ""
    if view.checks and view.passed == view.checks:
        passes = f"Every check{' shown here' if view.withheld else ''} passes"
    if view.unanswered:
        begin = f"{passes}, but no" if passes else "No"
        said = [(Piece(begin), *_unanswered(view.unanswered))]
        return _start("your answer in words", f"{view.unanswered[0].anchor}-words", said)
    if passes:
        return _done("Nothing left to do", f"{passes}. Well done.", _reading(view))
    if not view.checks and view.items:
        return _done("Nothing left to do", _reading(view))
    if view.broken:
        return _done(
            "Nothing for you to do", "What has not passed is our fault. Your instructor has been told."
        )
    if any(check.given for exercise in view.exercises for check in exercise.checks):
        said_of_rest = "Of what has not passed, your instructor gave the points."
    elif view.adjusted:
        said_of_rest = "What has not passed was found wrong by us, and counts against nobody."
    elif view.checks:
        said_of_rest = "What has not passed waits for a check that is not shown here."
    else:
        said_of_rest = "No check is shown here."
    return _done("Nothing to mend here", said_of_rest)


def _start(what: str, anchor: str, said: Sequence[tuple[Piece, ...]], worth: str = "") -> NextStep:
    return NextStep("Start here", what, anchor, worth, tuple(pieces for pieces in said if pieces))


def _done(title: str, *sentences: str) -> NextStep:
    return NextStep(title, "", "", "", ((Piece(" ".join(filter(None, sentences))),),))


def _reading(view: StudentView) -> str:
    if not view.items:
        return ""
    return f"A person {'will read' if view.waiting else 'has read'} what you wrote in words."


def _unanswered(exercises: Sequence[ExerciseView]) -> Iterator[Piece]:
    yield Piece(" answer in words was found for ")
    yield from _listed([Piece(one.title, "name", f"{one.anchor}-words") for one in exercises], ", ")
    yield Piece(full_stop(exercises[-1].title))


def _listed(pieces: Sequence[Piece], between: str) -> Iterator[Piece]:
    for number, piece in enumerate(pieces):
        if number:
            yield Piece(between)
        yield piece


def start_with_loading(view: StudentView) -> str:
    """Return what to say where loading is to be mended before anything else, or nothing."""
    if view.result.status is not Status.GRADED or not view.load.trouble:
        return ""
    if view.result.load.verdict is not Verdict.PASSED:
        return view.load.message
    if view.start is None or not view.load.cells:
        return ""
    check = view.start.check
    if check.error is not None and check.error in [cell.error for cell in view.result.load.cells]:
        return one_line(check.message, 1500) or view.start.message
    if check.verdict is not Verdict.MISSING:
        return ""
    first = view.load.cells[0]
    return f"{first.where} {first.what}, so names that it should define are missing. Mend that first."


def start_message(view: StudentView) -> str:
    """Return the first failing check's message in one line, with what was raised."""
    if view.start is None:
        return ""
    error = view.start.error
    if error is None:
        return one_line(view.start.message, 400)
    said = f"{error.type}: {error.message}" if error.message else f"{error.type}."
    message = view.start.check.message
    if error.type in message and error.message in message and not message.startswith(error.type):
        return one_line(message, 400)
    if view.start.check.verdict is Verdict.ERROR:
        return one_line(f"Your code raised {said}", 400)
    return one_line(f"{view.start.message} {said}", 400)


def praise_text(view: StudentView) -> str:
    """Return what works, in one or two sentences."""
    text = f"{passing_text(view.passed, view.checks)}."
    if not view.praise:
        return text
    names = ", ".join(f"“{title}”" for title in view.praise[:4])
    return f"{text} All is right in {names}."
