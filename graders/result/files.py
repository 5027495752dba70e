"""Results on the disk."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from graders.result.document import COMPUTED, SCHEMA_VERSION, Result
from graders.writing_whole import write_whole


class ResultError(ValueError):
    """A file is not a Result that this version can read. The message names file and field."""


def write_result(result: Result, path: Path) -> None:
    """Write `result` to `path`, whole or not at all (temporary file, fsync, rename)."""
    write_whole(path, result.model_dump_json(indent=1).encode())


def read_result(path: Path) -> Result:
    """Read a Result. Raises ResultError naming the file, the field and the next step."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as JSON ({error}). Grade the submission again.") from error
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        found = document.get("schema_version") if isinstance(document, dict) else type(document).__name__
        raise ResultError(
            f"{path}: schema_version is {_short(repr(found))}, expected {SCHEMA_VERSION}. "
            "Grade the submission again with this version of Attest."
        )
    for computed in COMPUTED:
        document.pop(computed, None)
    try:
        return Result.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ResultError(
            f"{path}: field {_short(where)}: {_short(first['msg'], 300)}. Grade the submission again."
        ) from error


def _short(text: str, limit: int = 100) -> str:
    """What a file holds, for a sentence: one line of a bounded length."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in text[:limit])
    return line if len(text) <= limit else f"{line[:-1]}…"
