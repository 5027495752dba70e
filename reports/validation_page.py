"""What `attest validate` found, as a page and as Markdown: checks × programs, and what to mend.

It is given plain data, since reports know neither assignments nor how they are run.
"""

from __future__ import annotations

from dataclasses import dataclass

from graders.result import Verdict
from reports.amounts import count_text, points_noun, points_text
from reports.pages import asset, policy, template
from reports.student_text import code, plain
from reports.verdict_words import VERDICTS
from reports.visible_text import one_line

STYLE = ("colours.css", "validation.css")
MARKS: dict[Verdict, str] = {
    Verdict.PASSED: "·",
    Verdict.SKIPPED: "–",
    Verdict.FAILED: "✗",
    Verdict.ERROR: "e",
    Verdict.MISSING: "n",
    Verdict.TIMEOUT: "t",
    Verdict.MEMORY: "m",
    Verdict.OUTPUT: "o",
    Verdict.CRASHED: "c",
    Verdict.BROKEN: "!",
}
KINDS = {
    "model": "Model solution",
    "starter": "Starter",
    "accepted": "Accepted: correct, though unusual",
    "variant": "Variants: known errors",
}


@dataclass(frozen=True)
class Column:
    """One check."""

    name: str  # "test_pool_values"
    title: str
    points: float
    lost_by: tuple[str, ...]  # names of the variants


@dataclass(frozen=True)
class Mark:
    """How a program did in a check."""

    verdict: Verdict | None  # None: it was not asked
    wanted: bool  # it is as it should be
    claimed: bool = False  # a check that the variant says it loses


@dataclass(frozen=True)
class Program:
    """One program that is kept with an exercise."""

    kind: str  # "model", "starter", "accepted", "variant"
    name: str
    title: str
    points: float
    marks: tuple[Mark, ...]  # one for each column


@dataclass(frozen=True)
class ExerciseTable:
    """Programs by checks of one exercise."""

    id: str
    title: str
    points: float
    columns: tuple[Column, ...]
    programs: tuple[Program, ...]
    naming: str  # "24 of 25 variants named"
    enough: bool = True
    caught_once: tuple[tuple[str, str], ...] = ()  # (variant, the only check that it loses)

    @property
    def never_lost(self) -> tuple[str, ...]:
        """The checks that no variant exercises."""
        return tuple(one.name for one in self.columns if one.points and not one.lost_by)

    @property
    def lost_once(self) -> tuple[tuple[str, str], ...]:
        """The checks that one variant alone exercises: (check, variant)."""
        return tuple(
            (one.name, one.lost_by[0]) for one in self.columns if one.points and len(one.lost_by) == 1
        )


@dataclass(frozen=True)
class Validation:
    """All that was found."""

    id: str
    title: str
    version: str
    seeds: tuple[int, ...]
    versions: dict[str, str]
    exercises: tuple[ExerciseTable, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]  # what the tables do not say

    @property
    def verdict(self) -> str:
        """The whole in a few words."""
        programs = count_text(sum(len(one.programs) for one in self.exercises), "program")
        found = (
            "all as it should be"
            if not self.problems
            else f"{count_text(len(self.problems), 'thing')} to mend"
        )
        return f"{programs}, {count_text(len(self.seeds), 'seed')}: {found}"


def validation_html(validations: tuple[Validation, ...]) -> str:
    """Return the page; it needs no network and no script."""
    return template("validation.html.jinja").render(
        policy=policy(asset(*STYLE)),
        style=asset(*STYLE),
        title=", ".join(one_line(one.title, 100) for one in validations[:3]),
        validations=validations,
        kinds=KINDS,
        marks=MARKS,
        verdicts=VERDICTS,
        key=_key(validations),
        points_noun=points_noun,
        groups=_groups,
    )


def validation_markdown(validations: tuple[Validation, ...]) -> str:
    """Return the same as Markdown."""
    return "\n\n".join("\n\n".join(_markdown(one)) for one in validations) + "\n"


def _groups(exercise: ExerciseTable) -> list[tuple[str, list[Program]]]:
    return [
        (words, found)
        for kind, words in KINDS.items()
        if (found := [one for one in exercise.programs if one.kind == kind])
    ]


def _key(validations: tuple[Validation, ...]) -> list[tuple[str, str]]:
    """Return (mark, word) of every verdict that is there."""
    present = {
        mark.verdict
        for one in validations
        for exercise in one.exercises
        for program in exercise.programs
        for mark in program.marks
    }
    return [(MARKS[verdict], VERDICTS[verdict].word.lower()) for verdict in Verdict if verdict in present]


def _markdown(one: Validation) -> list[str]:
    versions = ", ".join(f"{plain(name)} {code(version)}" for name, version in one.versions.items())
    parts = [
        f"# {plain(one.title)}",
        f"{code(one.id)}, version {code(one.version)}; seeds {', '.join(map(str, one.seeds))}; {versions}. "
        f"{one.verdict}.",
    ]
    if one.problems:
        parts.append("## To mend\n\n" + "\n".join(f"- {plain(text)}" for text in one.problems))
    for exercise in one.exercises:
        parts += _exercise_markdown(exercise)
    if one.notes:
        parts.append("## Notes\n\n" + "\n".join(f"- {plain(text)}" for text in one.notes))
    key = "; ".join(f"{mark} {word}" for mark, word in _key((one,)))
    return [*parts, f"{key}. **Bold**: a check that the variant says it loses. ‼ is not as it should be."]


def _exercise_markdown(exercise: ExerciseTable) -> list[str]:
    numbers = range(1, len(exercise.columns) + 1)
    lines = [
        f"| program | points | {' | '.join(map(str, numbers))} |",
        f"| --- | ---: | {' | '.join(':-:' for _ in numbers)} |",
    ]
    for program in exercise.programs:
        cells = " | ".join(_cell(mark) for mark in program.marks)
        kind = f"{program.kind}: " if program.kind != "variant" else ""
        lines.append(f"| {kind}{code(program.name)} | {points_text(program.points)} | {cells} |")
    legend = [
        f"{number}. {code(column.name)} ({points_text(column.points)}): {plain(column.title)}"
        for number, column in enumerate(exercise.columns, 1)
    ]
    return [
        f"## {plain(exercise.title)} ({points_noun(exercise.points)})",
        "\n".join(legend),
        "\n".join(lines),
        "\n".join(f"- {text}" for text in _said(exercise)),
    ]


def _said(exercise: ExerciseTable) -> list[str]:
    said = [plain(f"{exercise.naming}.")]
    if exercise.never_lost:
        said.append(f"No variant exercises {', '.join(map(code, exercise.never_lost))}.")
    if exercise.lost_once:
        text = ", ".join(f"{code(check)} ({code(variant)})" for check, variant in exercise.lost_once)
        said.append(f"One variant alone exercises {text}.")
    if exercise.caught_once:
        text = ", ".join(f"{code(variant)} ({code(check)})" for variant, check in exercise.caught_once)
        said.append(f"One check alone catches {text}.")
    return said


def _cell(mark: Mark) -> str:
    if mark.verdict is None:
        return ""
    text = MARKS[mark.verdict]
    text = f"**{text}**" if mark.claimed else text
    return text if mark.wanted else f"{text}‼"
