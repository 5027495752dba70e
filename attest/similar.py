"""`attest similar`: pairs of submissions that share code, as a table and as pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from attest.terminal import ALL_WELL, cell, console, harmless, sentences, shown_path
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.likeness import Comparison, Label, Pair, Text, compare, text_of
from graders.reading import CohortError, Found, UnreadableSubmission, find_submissions, read_submission
from graders.starters import starter_files
from graders.writing_whole import write_whole
from reports.amounts import count_text
from reports.likeness_page import Likeness, LikePair, Side, likeness_csv, likeness_html, pair_html
from reports.visible_text import one_line

if TYPE_CHECKING:
    from sandbox import Program

MOST_PAGES = 300
MOST_SHOWN = 20  # pairs in the terminal


class SimilarError(OSError):
    """The pages cannot be written. The message names the path and the next step."""


@dataclass(frozen=True)
class SimilarRequest:
    """What was asked on the command line."""

    paths: tuple[Path, ...]
    out: Path | None
    assignment: str | None
    starters: tuple[Path, ...]
    least: float


def similar_command(request: SimilarRequest) -> int:
    """Compare, write the pages and say what was found; return the exit status."""
    with sentences(AssignmentError, CohortError, SimilarError, UnreadableSubmission):
        assignment = find_assignment(request.assignment) if request.assignment else None
        common = [*known_labels(assignment), *_starters(request.starters)]
        cohort = find_submissions(request.paths, assignment.files if assignment else ())
        whose, texts, problems = _read(cohort.found)
        if len(texts) < 2:
            raise CohortError(
                f"{count_text(len(texts), 'submission')} with code was found, and two are needed to compare: "
                "give a folder or zip with one .py, .ipynb, .zip or folder per student."
            )
        compared = compare([text.labels for text in texts], common, least=request.least)
        title = one_line(assignment.title) if assignment else ", ".join(map(shown_path, request.paths))
        found = Likeness(
            title=title,
            compared=len(texts),
            pairs=tuple(_pairs(compared, whose, texts)),
            groups=tuple(tuple(whose[one] for one in group) for group in compared.groups),
            problems=(*cohort.problems, *problems),
        )
        if request.out is not None:
            found = _write(found, request.out)
    _say(found, request.out)
    return ALL_WELL


def known_labels(assignment: Assignment | None) -> Iterator[Sequence[Label]]:
    """Starter files and model solutions: what anybody may have from them."""
    for exercise in assignment.exercises if assignment else ():
        for path in (*exercise.starters, *exercise.solutions):
            if path.suffix != ".md":
                yield _labels(path)
        for name, data in starter_files(exercise).items():
            if name.endswith(".py"):
                yield text_of(_as_script(name, data)).labels


def _as_script(name: str, data: bytes) -> tuple[Program, ...]:
    from sandbox import Program

    return (Program("script", name, (data.decode("utf-8", "replace"),)),)


def _starters(paths: Sequence[Path]) -> Iterator[Sequence[Label]]:
    for path in paths:
        yield _labels(path)


def _labels(path: Path) -> Sequence[Label]:
    return text_of(read_submission(path).programs).labels


def _read(found: Sequence[Found]) -> tuple[list[str], list[Text], list[str]]:
    """Return who can be compared, with what, and one sentence for each who cannot."""
    whose, texts, problems = [], [], []
    for one in found:
        try:
            text = text_of(one.read(words="any").programs)
        except UnreadableSubmission as unreadable:
            problems.append(f"{one.student.id}: {unreadable}")
            continue
        if text.labels:
            whose.append(one.student.id)
            texts.append(text)
        else:
            problems.append(f"{one.student.id}: it holds no code.")
    return whose, texts, problems


def _pairs(compared: Comparison, whose: Sequence[str], texts: Sequence[Text]) -> Iterator[LikePair]:
    for pair in compared.pairs:
        first, second = _sides(compared, pair, whose, texts)
        yield LikePair(first, second, pair.likeness)


def _sides(
    compared: Comparison, pair: Pair, whose: Sequence[str], texts: Sequence[Text]
) -> tuple[Side, Side]:
    lines = compared.shared_lines(pair)
    first, second = (
        Side(whose[index], texts[index].lines, texts[index].headings, shared)
        for index, shared in zip((pair.first, pair.second), lines, strict=True)
    )
    return first, second


def _write(found: Likeness, out: Path) -> Likeness:
    """Write index.html, pairs.csv and a page for each of the first pairs; return them with their pages."""
    pairs = tuple(
        replace(pair, page=f"pairs/{number:04}.html") if number <= MOST_PAGES else pair
        for number, pair in enumerate(found.pairs, 1)
    )
    found = replace(found, pairs=pairs)
    try:
        (out / "pairs").mkdir(parents=True, exist_ok=True)
        for stale in (out / "pairs").glob("[0-9][0-9][0-9][0-9].html"):
            stale.unlink()
        for pair in pairs:
            if pair.page:
                write_whole(out / pair.page, _utf8(pair_html(pair, found)), synced=False)
        write_whole(out / "pairs.csv", _utf8(likeness_csv(found)))
        write_whole(out / "index.html", _utf8(likeness_html(found)))
    except OSError as error:
        raise SimilarError(
            f"{shown_path(out)}: the pages cannot be written: {error.strerror or error}. "
            "Choose another folder with -o."
        ) from None
    return found


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _say(found: Likeness, out: Path | None) -> None:
    screen = console()
    if found.pairs:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for name, side in (("first", "left"), ("second", "left"), ("likeness", "right"), ("shared", "right")):
            table.add_column(name, justify=side)  # type: ignore[arg-type]
        for pair in found.pairs[:MOST_SHOWN]:
            table.add_row(cell(pair.first.name), cell(pair.second.name), pair.percent, pair.shared)
        screen.print(table)
        if len(found.pairs) > MOST_SHOWN:
            screen.print(f"… and {len(found.pairs) - MOST_SHOWN} more.")
    groups = f", {count_text(len(found.groups), 'group')} of more than two" if found.groups else ""
    pairs = f"{count_text(len(found.pairs), 'pair')} with shared code of their own{groups}"
    screen.print(f"\n{count_text(found.compared, 'submission')} compared: {pairs}.", soft_wrap=True)
    if out is not None:
        screen.print(f"Side by side: {shown_path(out / 'index.html')}", soft_wrap=True)
    elif found.pairs:
        screen.print("To see them side by side: add -o FOLDER.")
    for problem in found.problems[:MOST_SHOWN]:
        screen.print(harmless(one_line(problem, 1000)), soft_wrap=True)
