"""The tables of an assignment.toml: which keys there are, of which types, and what is said of any other.

Nothing here looks beyond the one file.
"""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field, StringConstraints, ValidationError, model_validator

from graders.late import LatePolicy
from graders.prose.tables import ProseTable, RubricTable
from graders.tables import Strict, Text

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Bytes = Annotated[int, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class AssignmentError(ValueError):
    """An assignment cannot be used. The message names the file and field, what was found and what to do."""


class LimitsTable(Strict):
    """`[limits]`: what replaces the sandbox's own limits."""

    load_seconds: Seconds | None = None
    check_seconds: Seconds | None = None
    check_cpu_seconds: Seconds | None = None
    submission_seconds: Seconds | None = None
    memory_bytes: Bytes | None = None
    processes: Count | None = None
    open_files: Count | None = None
    file_bytes: Bytes | None = None
    disk_bytes: Bytes | None = None
    output_bytes: Bytes | None = None
    output_flood_bytes: Bytes | None = None


class VariantTable(Strict):
    """`[variants.NAME]`: a known-wrong implementation and what its error is called."""

    title: Text
    section: Text | None = None
    hint: Text | None = None  # how to mend just this error, in place of the hint of the check that it fails
    loses: tuple[Name, ...] = Field(min_length=1, strict=False)
    diagnose: bool = True  # false for a variant that hangs or harms, which must never run outside the sandbox
    same_as: Name | None = None  # another variant that behaves as this one does, and gives its name
    like: tuple[Text, ...] = Field(
        default=(), strict=False
    )  # names that are fair as well: "other", "one+other"


class AcceptedTable(Strict):
    """`[accepted.NAME]`: a correct but unusual implementation."""

    title: Text


class LateTable(Strict):
    """`[late]`: what coming late costs."""

    due: datetime
    zone: Text | None = None  # of a due date without an offset: "Europe/Berlin"
    percent: Annotated[float, Field(ge=0, le=100)] = 0.0  # for each day or hour begun
    per: Literal["day", "hour"] = "day"
    grace_minutes: Annotated[float, Field(ge=0, le=100_000)] = 0.0
    cap_percent: Annotated[float, Field(ge=0, le=100)] = 100.0
    of: Literal["earned", "maximum"] = "earned"

    @model_validator(mode="after")
    def _in_a_zone(self) -> LateTable:
        if self.due.tzinfo is None and self.zone is None:
            raise ValueError(
                'due has no time zone: write 2026-11-30T23:59:00+01:00, or add zone = "Europe/Berlin"'
            )
        if self.zone is not None:
            try:
                ZoneInfo(self.zone)
            except (ValueError, OSError, LookupError):
                raise ValueError(
                    f"there is no time zone {self.zone!r}; write it like Europe/Berlin"
                ) from None
        return self

    @property
    def policy(self) -> LatePolicy:
        """The policy that the table says."""
        due = self.due if self.due.tzinfo else self.due.replace(tzinfo=ZoneInfo(self.zone or "UTC"))
        return LatePolicy(
            due, self.percent, self.per, timedelta(minutes=self.grace_minutes), self.cap_percent, self.of
        )


class _Heading(Strict):
    schema_: Literal[1] = Field(alias="schema")
    id: Name
    title: Text
    version: Text
    points: Annotated[float, Field(ge=0)]
    limits: LimitsTable = LimitsTable()
    late: LateTable | None = None


class ExerciseTable(_Heading):
    """`assignment.toml` of one exercise."""

    section: Text | None = None
    names: tuple[Name, ...] = Field(default=(), strict=False)  # may be none where words are asked for
    files: tuple[Text, ...] = Field(default=(), strict=False)
    run_as: Literal["module", "__main__"] = "module"
    record: bool = False
    released: bool = False  # written by `attest release`: public checks only, which is all that students have
    prose: ProseTable | None = None
    rubric: dict[Name, RubricTable] = Field(default_factory=dict)
    variants: dict[Name, VariantTable] = Field(default_factory=dict)
    accepted: dict[Name, AcceptedTable] = Field(default_factory=dict)


class ComposedTable(_Heading):
    """`assignment.toml` of an assignment composed of others."""

    compose: tuple[Text, ...] = Field(min_length=1, strict=False)
    files: tuple[Text, ...] | None = Field(default=None, min_length=1, strict=False)


def read_table(path: Path) -> ExerciseTable | ComposedTable:
    """Read an assignment.toml. Raises AssignmentError."""
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise AssignmentError(f"{path}: cannot be read ({error.strerror}). Check its permissions.") from error
    except UnicodeDecodeError as error:
        raise AssignmentError(
            f"{path}: is not UTF-8 text ({error.reason} at byte {error.start}). Save it as UTF-8."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise AssignmentError(f"{path}: is not TOML: {error}. Correct it there.") from error
    model: type[ExerciseTable | ComposedTable] = ComposedTable if "compose" in table else ExerciseTable
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise AssignmentError(f"{path}: {_sentence(error.errors()[0], model)}") from error


def _sentence(error: Any, model: type[BaseModel]) -> str:
    """Return what is wrong with one field, in words."""
    where = ".".join(str(part) for part in error["loc"] if part != "[key]")
    kind, found = error["type"], error["input"]
    if kind == "extra_forbidden":
        table = where.rpartition(".")[0]
        known = sorted(_keys(model, error["loc"][:-1]))
        place = f"in [{table}]" if table else "at the top"
        return f"unknown key {where!r}; known {place} are: {', '.join(known)}."
    if kind == "missing":
        return f"the key {where!r} is missing; add it."
    what = error["msg"].removeprefix("Value error, ")
    return f"{where}: {_short(found)} was found, but {what[:1].lower()}{what[1:]}."


def _keys(model: type[BaseModel], place: tuple[Any, ...]) -> list[str]:
    tables: dict[Any, type[BaseModel]] = {
        "limits": LimitsTable,
        "late": LateTable,
        "variants": VariantTable,
        "accepted": AcceptedTable,
        "prose": ProseTable,
        "rubric": RubricTable,
    }
    at = tables.get(place[0], model) if place else model
    return [info.alias or name for name, info in at.model_fields.items()]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
