"""An assignment: the folder with `assignment.toml`, read and checked.

Reading one runs none of its code and needs no torch: the points of its tests are added up later, when
they are collected.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files as package_files
from pathlib import Path
from typing import Literal

from graders.assignment_tables import AssignmentError, ComposedTable, ExerciseTable, read_table
from graders.late import LatePolicy
from graders.prose.tables import Prose, RubricItem, prose_of, rubric_of
from graders.reading.submission import Words
from graders.result import AssignmentInfo

__all__ = [
    "Accepted",
    "Assignment",
    "AssignmentError",
    "Exercise",
    "Variant",
    "find_assignment",
    "read_assignment",
]

FILE = "assignment.toml"
PUBLIC_TESTS = "tests/test_public.py"
HIDDEN_TESTS = "tests/test_hidden.py"
_LATE = re.compile(rb"^\[late\][^\n]*(?:\n(?!\[)[^\n]*)*\n?", re.MULTILINE)
ANSWERS = "answers.md"  # where words may stand, beside notebooks and docstrings


@dataclass(frozen=True)
class Variant:
    """A known-wrong implementation kept with an exercise."""

    name: str
    title: str
    section: str | None
    loses: tuple[str, ...]  # check ids
    path: Path
    diagnose: bool = True
    hint: str | None = None
    same_as: str | None = None  # the variant whose name this one goes by
    like: tuple[str, ...] = ()  # other names that are fair in some checks


@dataclass(frozen=True)
class Accepted:
    """A correct but unusual implementation kept with an exercise."""

    name: str
    title: str
    path: Path


@dataclass(frozen=True)
class Exercise:
    """One thing asked: a leaf folder with tests."""

    id: str
    title: str
    points: float
    section: str | None
    names: tuple[str, ...]
    files: tuple[str, ...]
    run_as: Literal["module", "__main__"]
    folder: Path
    variants: tuple[Variant, ...]
    accepted: tuple[Accepted, ...]
    record: bool = False  # what the program asks of attention while it is loaded is judged
    prose: Prose | None = None  # what is asked for in words
    rubric: tuple[RubricItem, ...] = ()
    released: bool = False  # only its public checks are here

    @property
    def public_tests(self) -> Path:
        return self.folder / PUBLIC_TESTS

    @property
    def hidden_tests(self) -> Path:
        return self.folder / HIDDEN_TESTS

    @cached_property
    def starters(self) -> tuple[Path, ...]:
        """The files that students start from."""
        return _programs(self.folder / "starter")

    @cached_property
    def solutions(self) -> tuple[Path, ...]:
        """The model solution's programs; the first one is what the checks are tried on."""
        return _programs(self.folder / "solution")


@dataclass(frozen=True)
class Assignment:
    """One or more exercises that are handed in and graded together."""

    id: str
    title: str
    version: str
    points: float
    folder: Path
    exercises: tuple[Exercise, ...]
    files: tuple[str, ...]
    # Fields of sandbox.Limits that differ from its own.
    limits: dict[str, float] = field(default_factory=dict)
    late: LatePolicy | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What is to be defined, over all exercises."""
        return tuple(name for exercise in self.exercises for name in exercise.names)

    @property
    def words(self) -> Words:
        """Whether a submission may hold words alone, and in which files."""
        if not any(exercise.prose for exercise in self.exercises):
            return "none"
        return "answers" if any(exercise.names for exercise in self.exercises) else "any"

    @cached_property
    def info(self) -> AssignmentInfo:
        """What a Result says of its assignment."""
        return AssignmentInfo(
            id=self.id,
            title=self.title,
            version=self.version,
            content_hash=_content_hash(self),
            exercises=tuple((exercise.id, exercise.title) for exercise in self.exercises),
        )


def find_assignment(name: str | Path) -> Assignment:
    """Return the assignment at this path, or of this name in the installed `assignments` package.

    "examples" and "examples/masks" are names. Raises AssignmentError where there is none, or it is faulty.
    """
    path = Path(name)
    if path.name == FILE and path.is_file():
        path = path.parent
    if (path / FILE).is_file():
        return read_assignment(path)
    try:
        installed = Path(str(package_files("assignments")))
    except ModuleNotFoundError:  # what students install comes with none
        raise AssignmentError(
            f"{name}: a folder with {FILE} was expected there, such as the handout's folder of public checks."
        ) from None
    inside = installed / path
    if not path.is_absolute() and ".." not in path.parts and (inside / FILE).is_file():
        return read_assignment(inside)
    known = sorted(
        found.parent.relative_to(installed).as_posix()
        for found in installed.rglob(FILE)
        if found.parent != installed
    )
    found = "a folder without assignment.toml" if path.is_dir() else "nothing"
    close = [one for one in known if one.rpartition("/")[2] == path.name]
    close = close or difflib.get_close_matches(str(name), known, 1)
    guess = f" Did you mean {' or '.join(close)}?" if close else ""
    raise AssignmentError(
        f"{name}: {found} was found there; a folder with {FILE} was expected, or one of the installed "
        f"assignments: {', '.join(known) or '(none)'}.{guess}"
    )


def read_assignment(folder: Path) -> Assignment:
    """Read the assignment in `folder`. Raises AssignmentError."""
    folder = folder.resolve()
    table = read_table(folder / FILE)
    exercises: tuple[Exercise, ...]
    limits: dict[str, float]
    if isinstance(table, ExerciseTable):
        exercises, limits, files = (_exercise(folder, table),), {}, table.files
    else:
        exercises, limits = _composed(folder, table)
        files = table.files or tuple(dict.fromkeys(name for one in exercises for name in one.files))
    return Assignment(
        id=table.id,
        title=table.title,
        version=table.version,
        points=table.points,
        folder=folder,
        exercises=exercises,
        files=_asked_for(files, exercises),
        limits=limits | table.limits.model_dump(exclude_none=True),
        late=table.late.policy if table.late else None,
    )


def _composed(folder: Path, table: ComposedTable) -> tuple[tuple[Exercise, ...], dict[str, float]]:
    """Read the exercises of a composed assignment, and limits that are wide enough for each of them."""
    where = folder / FILE
    exercises: list[Exercise] = []
    limits: dict[str, float] = {}
    for index, relative in enumerate(table.compose):
        part = (folder / relative).resolve()
        leaf = _leaf(part, f"{where}: compose.{index}", relative)
        if leaf.id in {exercise.id for exercise in exercises}:
            raise AssignmentError(
                f"{where}: compose.{index}: the exercise id {leaf.id!r} comes twice; "
                "every exercise needs its own."
            )
        exercises.append(_exercise(part, leaf))
        for key, value in leaf.limits.model_dump(exclude_none=True).items():
            limits[key] = max(value, limits.get(key, 0))
    total = sum(exercise.points for exercise in exercises)
    if abs(total - table.points) > 1e-9:
        parts = " + ".join(f"{exercise.points:g} ({exercise.id})" for exercise in exercises)
        raise AssignmentError(
            f"{where}: points is {table.points:g}, but its exercises add up to {total:g}: {parts}. "
            f"Set points to {total:g} or change the exercises."
        )
    return tuple(exercises), limits


def _leaf(part: Path, where: str, relative: str) -> ExerciseTable:
    """Read the table of a folder that is composed into another assignment. Raises AssignmentError."""
    if not (part / FILE).is_file():
        raise AssignmentError(
            f"{where}: {relative!r} has no {FILE}; expected a folder, relative to this "
            "one, with an exercise in it."
        )
    leaf = read_table(part / FILE)
    if isinstance(leaf, ComposedTable):
        raise AssignmentError(f"{where}: {relative!r} is composed itself; name its exercises here instead.")
    return leaf


def _asked_for(files: tuple[str, ...], exercises: Sequence[Exercise]) -> tuple[str, ...]:
    """Return the files that are asked for; words may always be in one of their own."""
    words = ANSWERS not in files and any(exercise.prose for exercise in exercises)
    return (*files, ANSWERS) if words else files


def _exercise(folder: Path, table: ExerciseTable) -> Exercise:
    where = folder / FILE
    _refuse_incomplete(folder, table)
    variants = tuple(
        Variant(
            name=name,
            title=variant.title,
            section=variant.section,
            loses=tuple(f"{table.id}/{test}" for test in variant.loses),
            path=_kept(folder, where, "variants", name),
            diagnose=variant.diagnose,
            hint=variant.hint,
            same_as=variant.same_as,
            like=variant.like,
        )
        for name, variant in table.variants.items()
    )
    accepted = tuple(
        Accepted(name=name, title=accepted.title, path=_kept(folder, where, "accepted", name))
        for name, accepted in table.accepted.items()
    )
    _refuse_unnamed(folder, table)
    return Exercise(
        released=table.released,
        id=table.id,
        title=table.title,
        points=table.points,
        section=table.section,
        names=table.names,
        files=table.files,
        run_as=table.run_as,
        record=table.record,
        folder=folder,
        variants=variants,
        accepted=accepted,
        prose=prose_of(table.title, table.prose, table.rubric),
        rubric=rubric_of(table.id, table.rubric),
    )


def _refuse_incomplete(folder: Path, table: ExerciseTable) -> None:
    """Raise AssignmentError where nothing is asked for, or a file of tests is missing."""
    where = folder / FILE
    if table.prose is None and not table.rubric:
        for key in ("names", "files"):
            if not getattr(table, key) and not (key == "names" and table.record):
                raise AssignmentError(
                    f"{where}: {key} is missing or empty; add it (or [prose], for words alone)."
                )
    for tests in (PUBLIC_TESTS,) if table.released else (PUBLIC_TESTS, HIDDEN_TESTS):
        if not (folder / tests).is_file():
            raise AssignmentError(
                f"{where}: {folder / tests} is missing; every exercise has both {PUBLIC_TESTS} "
                f"and {HIDDEN_TESTS}. Create it (it may hold no test)."
            )


def _refuse_unnamed(folder: Path, table: ExerciseTable) -> None:
    """Raise AssignmentError where a variant or an accepted implementation lies there without its table."""
    for kind, named in (("variants", table.variants), ("accepted", table.accepted)):
        for path in sorted((folder / kind).glob("[!_.]*")):
            if path.suffix in (".py", ".md") and path.stem not in named:
                raise AssignmentError(
                    f"{folder / FILE}: {kind}/{path.name} is there, but [{kind}.{path.stem}] is not; "
                    "add it or remove the file."
                )


def _kept(folder: Path, where: Path, kind: str, name: str) -> Path:
    for suffix in (".py", ".ipynb", ".md"):
        path = folder / kind / f"{name}{suffix}"
        if path.is_file():
            return path
    raise AssignmentError(
        f"{where}: {kind}.{name}: the file {folder / kind / name}.py is missing; "
        "create it or remove the table."
    )


def _programs(folder: Path) -> tuple[Path, ...]:
    found = (
        [path for path in folder.glob("[!_.]*") if path.suffix in {".py", ".ipynb", ".md"}]
        if folder.is_dir()
        else []
    )
    return tuple(sorted(found, key=lambda path: (path.suffix == ".md", path.suffix != ".py", path.name)))


def _content_hash(assignment: Assignment) -> str:
    """Hash what decides a verdict: the tables and the tests."""
    digest = hashlib.sha256()
    paths = {assignment.folder / FILE}
    for exercise in assignment.exercises:
        paths |= {exercise.folder / FILE, *(exercise.folder / "tests").rglob("*.py")}
    for path in sorted(paths):
        data = path.read_bytes()
        if path.name == FILE:
            data = _LATE.sub(b"", data)  # a due date that is moved changes no verdict
        name = (
            path.relative_to(assignment.folder).as_posix()
            if path.is_relative_to(assignment.folder)
            else path.name
        )
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return f"sha256:{digest.hexdigest()}"
