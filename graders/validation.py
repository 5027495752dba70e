"""Validating an assignment: do its checks tell right from wrong?

The model solution and every accepted implementation must get full marks, the starter none, and every
variant must lose the checks that it names. All of them run in the sandbox, like anybody's submission.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from graders.assignment import Assignment, AssignmentError, Exercise, Variant
from graders.checks import Check
from graders.naming import Naming, naming, wrong_names
from graders.result import CheckResult, Result, Status, Student, Verdict
from graders.seeds import under_seeds
from graders.session import GradingSession, Job, collect_checks
from graders.showing import line
from graders.starters import starter_files
from sandbox import Sandbox

Kind = Literal["model", "starter", "accepted", "variant"]

# From good to bad: of several seeds, the worst verdict stands in the table.
_ORDER = (
    *(Verdict.PASSED, Verdict.SKIPPED, Verdict.FAILED, Verdict.MISSING, Verdict.ERROR),
    *(Verdict.OUTPUT, Verdict.MEMORY, Verdict.TIMEOUT, Verdict.CRASHED, Verdict.BROKEN),
)
_HARMLESS = (None, Verdict.PASSED, Verdict.SKIPPED)
_HARMFUL = (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.OUTPUT, Verdict.CRASHED)


@dataclass(frozen=True)
class Row:
    """One program of one exercise, and how it did under every seed."""

    kind: Kind
    name: str
    title: str
    exercise: str
    path: Path
    results: tuple[Result, ...]  # one for each seed, in their order
    loses: tuple[str, ...] = ()  # ids of the checks that a variant names
    variant: Variant | None = None  # where it is one

    def of(self, check: str) -> tuple[CheckResult, ...]:
        """Return the results of one check, one for each seed."""
        return tuple(one for result in self.results for one in result.checks if one.id == check)

    def verdict(self, check: str) -> Verdict | None:
        """Return the worst verdict of one check; None where this program is of another exercise."""
        return max((one.verdict for one in self.of(check)), key=_ORDER.index, default=None)

    def as_it_should_be(self, check: str) -> bool:
        """Return whether this program did in a check, under every seed, what it is kept for."""
        return not any(fault_of(self, one) for one in self.of(check))

    @property
    def points(self) -> float:
        """Return the points under the seed that gave the fewest (the starter: the most)."""
        choose = max if self.kind == "starter" else min
        return choose((result.points for result in self.results), default=0.0)


@dataclass(frozen=True)
class ValidationReport:
    """Rows (programs) by columns (checks), and what is wrong with them."""

    assignment: Assignment
    seeds: tuple[int, ...]
    checks: tuple[Check, ...]
    rows: tuple[Row, ...]
    problems: tuple[str, ...]  # each must be mended
    notes: tuple[str, ...]  # worth a look: what no variant exercises, what one check or variant alone tells
    faults: tuple[str, ...] = ()  # of checks that raised, without harm to the verdict
    names: tuple[Naming, ...] = ()  # for each exercise with variants

    @property
    def ok(self) -> bool:
        """Return whether nothing must be mended."""
        return not self.problems


def validate(
    assignment: Assignment,
    sandbox: Sandbox,
    seeds: Sequence[int] = (1, 2),
    *,
    only: Collection[str] = (),
    on_program: Callable[[Row], None] | None = None,
) -> ValidationReport:
    """Run every program kept with the assignment under every seed, the seeds side by side.

    `only` names programs ("no_scaling", "attention.py") or all of a kind ("model", "accepted"): the others,
    and what can be said of all of them together, are left out. `on_program` is told of each row as it is
    done. Raises AssignmentError where the tests cannot be used, or `only` names none of the programs.
    """
    checks = collect_checks(assignment)
    with TemporaryDirectory(prefix="attest-starters-") as made:
        programs = _programs(assignment, only, Path(made))
        rows = _run(assignment, programs, sandbox, seeds, on_program)
    names = () if only else tuple(_names(assignment, rows))
    problems = [] if only else [*_missing_kinds(assignment, rows), *_faulty_links(assignment)]
    for row in rows:
        problems += _problems(row, {check.id for check in checks})
    problems += _too_few_named(names)
    return ValidationReport(
        assignment=assignment,
        seeds=tuple(seeds),
        checks=checks,
        rows=tuple(rows),
        problems=tuple(problems),
        notes=() if only else tuple(_notes(checks, rows)),
        faults=tuple(_faults(rows)),
        names=names,
    )


def _programs(assignment: Assignment, only: Collection[str], made: Path) -> dict[str, list[Row]]:
    """Return the rows of each exercise, by its id; starters made of a solution are written to `made`."""
    programs: dict[str, list[Row]] = {}
    names: list[str] = []
    for exercise in assignment.exercises:
        kept = list(_of_exercise(exercise, made / exercise.id / "starter"))
        names += [row.name for row in kept]
        programs[exercise.id] = [row for row in kept if not only or {row.name, row.kind} & set(only)]
    if not names:
        raise AssignmentError(f"{assignment.folder}: has no program to run; the model solution is the first.")
    if not any(programs.values()):
        there = line(", ".join(dict.fromkeys(names)), 2000)
        raise AssignmentError(
            f"{assignment.folder}: none of its programs is called {' or '.join(only)}; there are: {there}."
        )
    return programs


def _run(
    assignment: Assignment,
    programs: Mapping[str, Sequence[Row]],
    sandbox: Sandbox,
    seeds: Sequence[int],
    on_program: Callable[[Row], None] | None,
) -> list[Row]:
    def grade(own: Sandbox, seed: int, tell: Callable[[Result], None]) -> None:
        for exercise in assignment.exercises:
            jobs = [Job(Student(id=f"{row.kind} {row.name}"), row.path) for row in programs[exercise.id]]
            if jobs:
                session = GradingSession(_alone(assignment, exercise), own, seed, name_rivals=True)
                session.run(jobs, tell)

    rows: list[Row] = []
    every = [row for own in programs.values() for row in own]
    for row, results in zip(every, under_seeds(grade, sandbox, seeds), strict=True):
        rows.append(replace(row, results=results))
        if on_program:
            on_program(rows[-1])
    return rows


def _alone(assignment: Assignment, exercise: Exercise) -> Assignment:
    return Assignment(
        id=exercise.id,
        title=exercise.title,
        version=assignment.version,
        points=exercise.points,
        folder=exercise.folder,
        exercises=(exercise,),
        files=exercise.files,
        limits=assignment.limits,
    )


def _of_exercise(exercise: Exercise, made: Path) -> Iterator[Row]:
    for path in exercise.solutions:
        yield Row("model", path.name, "the model solution", exercise.id, path, ())
    for path in exercise.starters or _made_starters(exercise, made):
        yield Row("starter", path.name, "what students start from", exercise.id, path, ())
    for accepted in exercise.accepted:
        yield Row("accepted", accepted.name, accepted.title, exercise.id, accepted.path, ())
    for variant in exercise.variants:
        yield Row(
            kind="variant",
            name=variant.name,
            title=variant.title,
            exercise=exercise.id,
            path=variant.path,
            results=(),
            loses=variant.loses,
            variant=variant,
        )


def _made_starters(exercise: Exercise, folder: Path) -> list[Path]:
    made = starter_files(exercise)
    folder.mkdir(parents=True)
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in made]


def _missing_kinds(assignment: Assignment, rows: Sequence[Row]) -> Iterator[str]:
    for exercise in assignment.exercises:
        kinds = {row.kind for row in rows if row.exercise == exercise.id}
        if "model" not in kinds:
            yield f"{exercise.folder / 'solution'} has no .py or .ipynb file; the model solution goes there."
        if "starter" not in kinds:
            yield f"{exercise.folder / 'starter'} has no .py or .ipynb file; a starter file goes there."
        if "variant" not in kinds and not _judged_by_people_alone(exercise):
            yield f"{exercise.folder / 'variants'} has no variant; so nothing shows that a check can fail."


def _judged_by_people_alone(exercise: Exercise) -> bool:
    return abs(sum(item.points for item in exercise.rubric) - exercise.points) < 1e-9


def _problems(row: Row, known: set[str]) -> Iterator[str]:
    where = f"{row.path.parent.name}/{row.path.name}"
    checks = _all(row)
    if row.kind == "variant" and checks and all(one.verdict is Verdict.PASSED for one in checks):
        yield (
            f"{where}: it passes every check, as a right answer does. See that the mistake is in the file, "
            "and that a check meets it."
        )
        return
    for result in row.results:
        if result.status is not Status.GRADED:
            reason = result.internal or result.message
            yield f"{where}: seed {result.seed}: {result.status.value}: {line(reason, 1000)}"
        for one in result.checks:
            if fault := fault_of(row, one):
                yield f"{where}: seed {result.seed}: {fault}"
    wrong: dict[str, set[str]] = {}
    if row.variant is not None:
        for one in _all(row):
            for text in wrong_names(row.variant, one):
                wrong.setdefault(text, set()).add(_name(one))
    yield from (f"{where}: {', '.join(sorted(checks))} {text}." for text, checks in wrong.items())
    for check in row.loses:
        if check not in known:
            yield f"{where}: loses names {check.rpartition('/')[2]!r}, and there is no such check."
    if row.variant and row.variant.diagnose and any(one.verdict in _HARMFUL for one in _all(row)):
        yield (
            f"{where}: it hangs or harms in the sandbox, and must not run outside it for a diagnosis: "
            f"set diagnose = false in [variants.{row.name}]."
        )


def fault_of(row: Row, one: CheckResult) -> str:
    """Return what is wrong with this program's result of one check; "" where it is as it should be."""
    passed = one.verdict is Verdict.PASSED
    if one.verdict is Verdict.BROKEN:
        return f"{_name(one)} is broken: {_last_line(one.internal)}"
    if row.kind in ("model", "accepted") and not passed:
        return f"{_name(one)} {one.verdict.value}, and it must pass: {line(one.message)}"
    if row.kind == "starter" and one.points > 0:
        points = f"{one.points:g} of its {one.max_points:g} points"
        return f"{_name(one)} {one.verdict.value}, but the starter earns {points} for nothing."
    if passed and one.id in row.loses:
        return f"{_name(one)} passed, though the variant names it as a check that it loses."
    return ""


def _names(assignment: Assignment, rows: Sequence[Row]) -> Iterator[Naming]:
    for exercise in assignment.exercises:
        own = [(row.variant, row.results) for row in rows if row.exercise == exercise.id and row.variant]
        if own:
            yield naming(exercise.id, own)


def _too_few_named(names: Iterable[Naming]) -> Iterator[str]:
    for one in names:
        if not one.enough:
            yield (
                f"{one.exercise}: {one.text}; at least 9 of 10 must be. Make each a small edit, "
                "or say same_as where two behave alike."
            )


def _faulty_links(assignment: Assignment) -> Iterator[str]:
    for exercise in assignment.exercises:
        known = {one.name: one for one in exercise.variants}
        for one in exercise.variants:
            root = known.get(one.same_as or one.name)
            if root is None or root.same_as:
                wanted = (
                    "no such variant" if root is None else f"which says same_as = {root.same_as!r} itself"
                )
                yield f"variants/{one.path.name}: same_as names {one.same_as!r}, {wanted}."
            for name in {part for other in one.like for part in other.split("+")} - known.keys():
                yield f"variants/{one.path.name}: like names {name!r}, and there is no such variant."


def _notes(checks: Sequence[Check], rows: Sequence[Row]) -> Iterator[str]:
    variants = [row for row in rows if row.kind == "variant"]
    for check in checks:
        if not check.points:
            continue
        losing = lost_by(check, variants)
        if not losing:
            yield f"{check.id}: no variant loses it, so nothing shows that it can fail."
        elif len(losing) == 1:
            yield f"{check.id}: only the variant {losing[0]} loses it."
    for exercise in dict.fromkeys(row.exercise for row in variants):
        caught = caught_once([row for row in variants if row.exercise == exercise], checks)
        if caught:
            named = ", ".join(f"{variant} ({check})" for variant, check in caught)
            yield f"{exercise}: one check alone catches {named}."


def _faults(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        for one in _all(row):
            if one.internal and one.verdict is not Verdict.BROKEN:
                yield f"{one.id} raised on {row.path.parent.name}/{row.path.name}: {_last_line(one.internal)}"


def lost_by(check: Check, rows: Sequence[Row]) -> list[str]:
    """Return the names of the variants that lose a check."""
    return [row.name for row in rows if row.kind == "variant" and row.verdict(check.id) not in _HARMLESS]


def caught_once(rows: Sequence[Row], checks: Sequence[Check]) -> list[tuple[str, str]]:
    """Return (variant, check) of the variants that lose one check alone of those with points."""
    lost = {
        row.name: [one.name for one in checks if one.points and row.verdict(one.id) not in _HARMLESS]
        for row in rows
        if row.kind == "variant"
    }
    return [(name, found[0]) for name, found in lost.items() if len(found) == 1]


def _all(row: Row) -> list[CheckResult]:
    return [one for result in row.results for one in result.checks]


def _name(one: CheckResult) -> str:
    return one.id.rpartition("/")[2]


def _last_line(text: str | None) -> str:
    lines = (text or "").strip().splitlines()
    return line(lines[-1], 300) if lines else "no reason was kept"
