"""What no submission may read: tests, references and model solutions, other submissions, and results."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from graders.assignment import Assignment

_PACKAGES = ("assignments", "graders", "reference")


def secret_paths(assignment: Assignment, given: Iterable[Path] = ()) -> tuple[str, ...]:
    """Return the folders and files, those `given` on the command line among them; none lies in another."""
    found = {Path(place) for place in secret_packages()}
    found |= {folder.resolve() for folder in (assignment.folder, *(e.folder for e in assignment.exercises))}
    found |= {path.resolve() for path in given}
    return tuple(sorted(str(path) for path in found if not found & set(path.parents)))


def secret_packages() -> tuple[str, ...]:
    """Return the folders of what comes with Attest."""
    return tuple(str(Path(place).resolve()) for name in _PACKAGES for place in _folders(name))


def _folders(package: str) -> list[str]:
    spec = find_spec(package)  # which imports nothing of it
    return list(spec.submodule_search_locations or ()) if spec else []
