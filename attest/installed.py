"""The assignments at hand, and which of them a student's file is meant for.

At hand are those that come with Attest, or, beside a student's file, the public checks of its handout.
"""

from __future__ import annotations

import ast
import difflib
import os
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING

from graders.assignment import FILE, Assignment, AssignmentError, read_assignment
from graders.reading.names import bare_stem

if TYPE_CHECKING:
    from sandbox import Program

CHECKS = "checks"  # the folder of the public checks in a handout
IN_REPOSITORY = ".github/attest"  # where a repository made of a handout has it
PLACES = (CHECKS, f"{IN_REPOSITORY}/{CHECKS}")
LEVELS = 3
MOST_NAMES = 12  # in a message

_DEFINES = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def installed_assignments() -> dict[str, Assignment]:
    """Return every assignment that comes with Attest, by the name that the command line takes.

    What students install comes with none.
    """
    try:
        root = Path(str(package_files("assignments")))
    except ModuleNotFoundError:
        return {}
    return _assignments_in(root)


def handed_out(file: Path) -> dict[str, Assignment]:
    """Return the assignments whose public checks lie in the handout that `file` belongs to; maybe none.

    A handout has them in a folder of its own; the file lies beside that, or a folder or two deeper.
    """
    place = Path(os.path.abspath(file))
    for folder in list(place.parents)[:LEVELS]:
        for checks in (folder / name for name in PLACES):
            if (checks / FILE).is_file():
                return _assignments_in(checks)
    return {}


def _assignments_in(root: Path) -> dict[str, Assignment]:
    folders = sorted(path.parent for path in root.rglob(FILE))
    return {folder.relative_to(root).as_posix(): read_assignment(folder) for folder in folders}


def defined_names(programs: Iterable[Program]) -> set[str]:
    """Return the names that a submission defines at its top level, as far as reading can tell."""
    names: set[str] = set()
    for program in programs:
        for cell in program.cells:
            try:
                tree = ast.parse(cell)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                # A magic, or a mistake further down.
                names.update(name for pair in _DEFINES.findall(cell) for name in pair if name)
                continue
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    names.add(node.name)
                elif isinstance(node, ast.Assign):
                    names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def choose_assignment(
    names: set[str], known: Mapping[str, Assignment], files: Iterable[str] = ()
) -> tuple[str, Assignment]:
    """Return the assignment that asks for most of `names`, and of several the one that asks for least else.

    `files` are the submission's own: one that an exercise without names asks for says whose it is. Raises
    AssignmentError where none asks for any of them; the message says which names were expected.
    """
    if not known:
        raise AssignmentError(
            f"no public checks were found. They lie in the folder {CHECKS}/ of the handout: put your file "
            "beside it, or name the folder by -a."
        )
    stems = {bare_stem(file) for file in files}
    named = {
        name: one
        for name, one in known.items()
        if any(not each.names and stems & set(map(bare_stem, each.files)) for each in one.exercises)
    }
    if named:
        return min(named.items(), key=lambda item: (len(item[1].exercises), item[0]))
    asked = {
        name: {each for exercise in one.exercises for each in exercise.names} for name, one in known.items()
    }
    fit = {name: len(wanted & names) for name, wanted in asked.items()}
    best = min(known, key=lambda name: (-fit[name], len(asked[name]), name), default=None)
    if best is None or not fit[best]:
        raise AssignmentError(_no_fit(names, sorted(set().union(*asked.values()))))
    return best, known[best]


def _no_fit(names: set[str], wanted: list[str]) -> str:
    close = {
        name: near[0] for name in sorted(names) if (near := difflib.get_close_matches(name, wanted, 1, 0.75))
    }
    if close:
        guess = "; ".join(f"{name!r} is nearly {near!r}" for name, near in close.items())
        return (
            f"it defines nothing that an assignment asks for, but {guess}. "
            "Rename it, or name the assignment by -a."
        )
    wanted = sorted(wanted, key=str.lower)
    asked = ", ".join(wanted[:MOST_NAMES]) + (
        f" and {len(wanted) - MOST_NAMES} more" if len(wanted) > MOST_NAMES else ""
    )
    own = [name for name in sorted(names) if not name.startswith("_")][:MOST_NAMES]
    but = f" What it defines: {', '.join(own)}." if own else ""
    return (
        f"it defines nothing that an assignment asks for ({asked}).{but} "
        "Give your code the names that the handout asks for, or name the assignment by -a."
    )
