"""Schemas of the formats that other autograders read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SCHEMAS = Path(__file__).with_name("schemas")
Check = Callable[[str, Any], None]


@pytest.fixture(scope="session")
def fits() -> Check:
    """Check that a document is of a format, by its schema's name, and that JSON can hold it."""

    def check(name: str, document: Any) -> None:
        schema = json.loads((SCHEMAS / f"{name}.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(json.loads(json.dumps(document, allow_nan=False)), schema)

    return check
