"""What every part of a Result is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Points = Annotated[float, Field(allow_inf_nan=False)]


class Frozen(BaseModel):
    """Base of every part of a Result: immutable, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
