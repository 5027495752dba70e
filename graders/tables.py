"""What all tables of an assignment.toml have in common: no unknown key, no other type, no empty text."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints


def _without_nul(text: str) -> str:
    """Return `text`. Raises ValueError where it has a character that no page shows and no database keeps."""
    if "\0" in text:
        raise ValueError("holds a NUL character (\\u0000); expected text")
    return text


Text = Annotated[
    str,
    StringConstraints(min_length=1, max_length=500, strip_whitespace=True),
    AfterValidator(_without_nul),
]


class Strict(BaseModel):
    """A table that refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
