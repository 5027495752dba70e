"""Every backend by its name."""

from __future__ import annotations

from .backend import Backend
from .bubblewrap import Bubblewrap
from .docker import Docker
from .none import NoIsolation
from .user import User

BACKENDS: dict[str, type[Backend]] = {
    "bubblewrap": Bubblewrap,
    "docker": Docker,
    "user": User,
    "none": NoIsolation,
}
