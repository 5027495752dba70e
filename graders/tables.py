"""What all tables of an assignment.toml have in common: no unknown key, no other type, no empty text."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]


class Strict(BaseModel):
    """A table that refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
