"""The Result: everything known of one graded submission, as a versioned JSON document.

Must not import torch, pytest or the sandbox: reading and rendering Results stays quick and works anywhere.
"""

from __future__ import annotations

from graders.result.check import (
    Adjusted,
    CheckResult,
    Compared,
    Diagnosis,
    NamedError,
    Overridden,
    StudentError,
    Verdict,
    Visibility,
)
from graders.result.document import (
    COMPUTED,
    NOT_GRADED,
    SCHEMA_VERSION,
    AssignmentInfo,
    Override,
    Result,
    Status,
    json_schema,
)
from graders.result.files import (
    ResultError,
    read_result,
    write_result,
)
from graders.result.frozen import (
    Frozen,
    Points,
)
from graders.result.rubric import (
    Answer,
    AnswerPiece,
    RubricResult,
)
from graders.result.shown import (
    BatchesPicture,
    Counterexample,
    Fact,
    MapPicture,
    NamedValue,
    Picture,
    Row,
    Shown,
    ShownTensor,
    ShownText,
)
from graders.result.submission import (
    AttemptInfo,
    CellResult,
    Late,
    LoadResult,
    Received,
    Student,
    SubmissionInfo,
)

__all__ = [
    "COMPUTED",
    "NOT_GRADED",
    "SCHEMA_VERSION",
    "Adjusted",
    "Answer",
    "AnswerPiece",
    "AssignmentInfo",
    "AttemptInfo",
    "BatchesPicture",
    "CellResult",
    "CheckResult",
    "Compared",
    "Counterexample",
    "Diagnosis",
    "Fact",
    "Frozen",
    "Late",
    "LoadResult",
    "MapPicture",
    "NamedError",
    "NamedValue",
    "Overridden",
    "Override",
    "Picture",
    "Points",
    "Received",
    "Result",
    "ResultError",
    "Row",
    "RubricResult",
    "Shown",
    "ShownTensor",
    "ShownText",
    "Status",
    "Student",
    "StudentError",
    "SubmissionInfo",
    "Verdict",
    "Visibility",
    "json_schema",
    "read_result",
    "write_result",
]
