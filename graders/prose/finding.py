"""Finding a student's words: tagged and headed notebook cells, answers.md, strings and docstrings of scripts.

Everything is read as text; no code runs. What stands in the starter files or the handout is nobody's answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graders.assignment import Assignment, AssignmentError, Exercise
from graders.prose.sections import Sections, known_lines, words
from graders.reading import ProseCell, Submission, UnreadableSubmission
from graders.reading.kinds import described
from graders.reading.names import shown, split_suffix
from graders.reading.notebook import read_notebook
from graders.reading.submission import ORDINARY
from graders.reading.text import decode
from graders.result import AnswerPiece
from graders.starters import starter_files

if TYPE_CHECKING:
    from sandbox import Program

MOST_CHARACTERS = 20_000  # of one answer: a person reads no more, and a spreadsheet's cell holds it
MOST_PIECES = 50
_LONGEST_SOURCE = 500_000
_LONGEST_FILE = 400_000
_FEWEST_WORDS = 15  # of a docstring that answers something; a shorter one says what a function returns
_EMPTY = frozenset(
    words(text) for text in ("", "todo", "your answer", "your answer here", "answer", "answers")
)
_UNREAD = (".docx", ".doc", ".odt", ".pdf", ".rtf", ".pages")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Found:
    """What a student wrote for one exercise; no pieces where nothing was found."""

    exercise: str
    pieces: tuple[AnswerPiece, ...] = ()
    written: str = ""  # the same as one text, without the lines that were in the starter
    truncated: bool = False


@dataclass(frozen=True)
class _Piece:
    where: str
    text: str
    own: str  # without headings and without what was there before the student


class AnswerFinder:
    """Finds the answers to one assignment in any number of submissions."""

    def __init__(self, assignment: Assignment) -> None:
        self._single = len(assignment.exercises) == 1
        self._asking = tuple(exercise for exercise in assignment.exercises if exercise.prose)
        self._headings = {one.id: one.prose.headings for one in self._asking if one.prose}
        given = [text for one in assignment.exercises for text in _given(one)] if self._asking else []
        self._known = known_lines(given) | _EMPTY
        self._titles = {word for one in assignment.exercises for word in words(f"{one.title} {one.section}")}

    def find(self, submission: Submission) -> tuple[Found, ...]:
        """Return what was found for each exercise that asks for words, in their order."""
        if not self._asking:
            return ()
        pieces: dict[str, list[_Piece]] = {one.id: [] for one in self._asking}
        for source in (self._cells, self._files, self._strings):
            for exercise, piece in source(submission):
                pieces[exercise].append(piece)
        for one in self._asking:
            if not pieces[one.id]:
                pieces[one.id] = list(self._elsewhere(one, submission))
        return tuple(_found(one.id, pieces[one.id]) for one in self._asking)

    def notes(self, submission: Submission) -> tuple[str, ...]:
        """Return a sentence for each file that looks like an answer and is not read."""
        if not self._asking:
            return ()
        unread = []
        for name in submission.word_files:
            try:
                _text_of(submission, name)
            except UnreadableSubmission as error:
                unread.append(f"No answer was read from {shown(name)}: {error}")
        return (*unread, *self._in_another_form(submission))

    def _in_another_form(self, submission: Submission) -> tuple[str, ...]:
        return tuple(
            f"{shown(name)} is {described(name, data[:4096])}, which is not read; "
            "write the answers in answers.md, a plain text file, and hand that in."
            for name, data in submission.files.items()
            if split_suffix(name)[1] in _UNREAD and "answer" in split_suffix(name)[0].casefold()
        )

    def _cells(self, submission: Submission) -> Iterator[tuple[str, _Piece]]:
        """Yield what stands in tagged cells and under headings in notebooks."""
        sections: dict[str, Sections] = {}
        tags = {_tag(one.id): one.id for one in self._asking}
        for cell in submission.prose:
            follow = sections.setdefault(cell.path, Sections(self._headings))
            tagged = next((tags[_tag(tag)] for tag in cell.tags if _tag(tag) in tags), None)
            yield from self._pieces(_in_cell(cell), cell.text, follow, always=tagged)

    def _files(self, submission: Submission) -> Iterator[tuple[str, _Piece]]:
        """Yield what stands in answers.md; where one exercise alone asks for words, the file is its own."""
        alone = self._asking[0].id if len(self._asking) == 1 else None
        for name in submission.word_files:
            with suppress(UnreadableSubmission):  # of which `notes` speaks
                text = _text_of(submission, name)
                yield from self._pieces(shown(name), text, Sections(self._headings), always=alone)

    def _strings(self, submission: Submission) -> Iterator[tuple[str, _Piece]]:
        """Yield what stands under headings in the strings of scripts, the module's docstring among them."""
        for program in submission.programs:
            if program.kind == "script":
                yield from self._headed(program, _top_strings(program, ast.Expr))

    def _headed(self, program: Program, texts: Iterable[tuple[int, str]]) -> Iterator[tuple[str, _Piece]]:
        """Yield what stands under headings in texts of a script, each with its line."""
        for line, text in texts:
            yield from self._pieces(f"{shown(program.path)}, line {line}", text, Sections(self._headings))

    def _elsewhere(self, exercise: Exercise, submission: Submission) -> Iterator[_Piece]:
        """Yield what may be an answer though it stands where none is looked for first: docstrings, comments
        and named texts of a script, and notes in a notebook.
        """
        if self._single:
            for cell in submission.prose:
                yield from self._whole(_in_cell(cell), cell.text)
        for program in submission.programs:
            if self._single and program.kind == "script":
                for line, text in _top_strings(program, ast.Expr):
                    yield from self._whole(f"{shown(program.path)}, line {line}", text)
            if program.kind == "script":
                texts = (*_comments(program.cells[0]), *_top_strings(program, ast.Assign))
                yield from (piece for whose, piece in self._headed(program, texts) if whose == exercise.id)
            for name, text in _docstrings(program, exercise.names):
                for piece in self._whole(f"{shown(program.path)}, docstring of {name}", text):
                    if sum(len(word) > 1 and word.isalpha() for word in words(piece.own)) >= _FEWEST_WORDS:
                        yield piece

    def _whole(self, where: str, text: str) -> Iterator[_Piece]:
        for _, piece in self._pieces(where, text, Sections({}), always="any"):
            yield piece

    def _pieces(
        self, where: str, text: str, sections: Sections, *, always: str | None = None
    ) -> Iterator[tuple[str, _Piece]]:
        """Yield the runs of lines that belong to an exercise and hold something of the student's own."""
        run: list[str] = []
        own: list[str] = []
        whose: str | None = None
        says = False  # something other than a heading

        def ended() -> Iterator[tuple[str, _Piece]]:
            mine = "\n".join(own).strip("\n")
            if whose is not None and says:
                yield whose, _Piece(where, "\n".join(run).strip("\n"), mine)

        for line in sections.lines(_UNSTORABLE.sub("\ufffd", text).replace("\r", "\n")):
            belongs = always or line.exercise
            if belongs != whose:
                yield from ended()
                run, own, whose, says = [], [], belongs, False
            known = words(line.text) in self._known
            if line.heading and (known or set(words(line.beside)) <= self._titles):
                if always:
                    run.append(line.text)
                continue  # it only says whose the section is
            run.append(line.text)
            # Short lines may well be the student's, though such a line is in the handout too.
            if not known or (own and len(words(line.text)) < 3):
                own.append(line.text)
                says = says or line.heading or not (known or line.text.lstrip().startswith("#"))
        yield from ended()


def _found(exercise: str, pieces: Sequence[_Piece]) -> Found:
    kept: list[AnswerPiece] = []
    left = MOST_CHARACTERS
    distinct = {piece.text: piece for piece in reversed(pieces)}  # a notebook handed in beside its script
    chosen = [piece for piece in pieces if distinct[piece.text] is piece]
    for piece in chosen[:MOST_PIECES]:
        if left > 0:
            kept.append(AnswerPiece(where=piece.where, text=piece.text[:left]))
            left -= len(piece.text)
    return Found(
        exercise,
        tuple(kept),
        "\n\n".join(piece.own for piece in chosen)[:MOST_CHARACTERS],
        truncated=left < 0 or len(kept) < len(chosen),
    )


def _text_of(submission: Submission, name: str) -> str:
    """Return the text of a file of words. Raises UnreadableSubmission where it is none."""
    return decode(submission.files[name][:_LONGEST_FILE], name, script=False, words=True).text


def _tag(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


def _in_cell(cell: ProseCell) -> str:
    return f"{shown(cell.path)}, {cell.kind} cell {cell.number}"


def _given(exercise: Exercise) -> Iterator[str]:
    """Yield every text that a student is given for an exercise."""
    if exercise.prose:
        yield exercise.prose.asks
    with suppress(OSError):
        yield (exercise.folder / "handout.md").read_text("utf-8", "replace")
    with suppress(AssignmentError, OSError):
        for name, data in starter_files(exercise).items():
            text = data.decode("utf-8", "replace")
            if name.endswith(".ipynb"):
                with suppress(UnreadableSubmission):
                    yield from (cell.text for cell in read_notebook(text, name, ORDINARY, words=True).prose)
            yield text


def _parsed(source: str) -> list[ast.stmt]:
    if len(source) <= _LONGEST_SOURCE:
        with suppress(Exception):  # as many kinds as there are ways to be no Python
            return ast.parse(source).body
    return []


def _top_strings(program: Program, of: type[ast.Expr] | type[ast.Assign]) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each statement of a script that is only a string, or gives one a name."""
    source = program.cells[0]
    if '"""' in source or "'''" in source:
        for statement in _parsed(source):
            match statement:
                case of(value=ast.Constant(value=str() as text)):
                    yield statement.lineno, text


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each run of lines that are only comments; empty lines do not end it."""
    first, run = 0, list[str]()
    for number, line in enumerate([*source[:_LONGEST_SOURCE].split("\n"), "pass"], start=1):
        bare = line.strip()
        if line.startswith("#"):
            first = first if run else number
            run.append(re.sub(r"^# ?", "", line))
        elif not bare and run:
            run.append("")
        elif run:
            yield first, "\n".join(run).rstrip("\n")
            run = []


def _docstrings(program: Program, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of these functions and classes, and of the classes' methods."""
    for source in program.cells:
        if any(name in source for name in names) and ('"""' in source or "'''" in source):
            for statement in _parsed(source):
                if _is_definition(statement) and statement.name in names:  # type: ignore[attr-defined]
                    yield from _own_docstrings(statement)


def _own_docstrings(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    text = ast.get_docstring(statement, clean=True)
    if text:
        yield statement.name, text
    if isinstance(statement, ast.ClassDef):
        for inner in statement.body:
            if isinstance(inner, ast.FunctionDef) and (text := ast.get_docstring(inner)):
                yield f"{statement.name}.{inner.name}", text


def _is_definition(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
