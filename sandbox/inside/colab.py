"""A harmless stand-in for `google.colab`, so that notebooks written there load."""

from __future__ import annotations

import types
from typing import Any


class _Harmless(types.ModuleType):
    """A module in which every name is a function that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: None


def modules() -> dict[str, types.ModuleType]:
    """What to put in `sys.modules`."""
    google = types.ModuleType("google")
    google.__path__ = []
    colab = _Harmless("google.colab")
    colab.__path__ = []
    google.colab = colab  # type: ignore[attr-defined]
    found: dict[str, types.ModuleType] = {"google": google, "google.colab": colab}
    for name in ("drive", "files", "output", "userdata", "widgets", "patches"):
        found[f"google.colab.{name}"] = part = _Harmless(f"google.colab.{name}")
        setattr(colab, name, part)
    # A notebook asks for uploaded files as a dict, and for secrets as text.
    found["google.colab.files"].upload = dict  # type: ignore[attr-defined]
    found["google.colab.userdata"].get = lambda *_args: ""  # type: ignore[attr-defined]
    return found
