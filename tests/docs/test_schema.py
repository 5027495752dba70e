"""The published schema is the schema of the Result that this version writes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema

from graders.result import (
    AssignmentInfo,
    CheckResult,
    LoadResult,
    Result,
    Student,
    SubmissionInfo,
    Verdict,
    json_schema,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "result.schema.json"


def test_the_published_schema_is_up_to_date() -> None:
    assert json.loads(PUBLISHED.read_text()) == json_schema(), "run `make schema`"


def test_a_result_fits_the_published_schema() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    check = CheckResult(
        id="masks/test_shape", exercise="masks", title="T", points=0, max_points=2, verdict=Verdict.FAILED
    )
    result = Result(
        student=Student(id="lena"),
        assignment=AssignmentInfo(id="masks", title="Masks", version="1.0", exercises=(("masks", "Masks"),)),
        submission=SubmissionInfo(source="lena.py"),
        load=LoadResult(path="lena.py", kind="script"),
        checks=(check,),
        started_at=now,
        finished_at=now,
        backend="bubblewrap",
        device="cpu",
        seed=1,
    )
    schema = json.loads(PUBLISHED.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(result.model_dump_json()), schema)
    broken = json.loads(result.model_dump_json()) | {"seed": "one"}
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(broken))
