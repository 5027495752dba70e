"""Every backend by its name."""

from __future__ import annotations

from .backend import Backend
from .bubblewrap import Bubblewrap
from .none import NoIsolation
from .user import User

BACKENDS: dict[str, type[Backend]] = {"bubblewrap": Bubblewrap, "user": User, "none": NoIsolation}
