"""Every backend by its name."""

from __future__ import annotations

from .backend import Backend
from .bubblewrap import Bubblewrap

BACKENDS: dict[str, type[Backend]] = {"bubblewrap": Bubblewrap}
