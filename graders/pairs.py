"""Two known errors at once: a program made of the model solution with the edits of two variants.

A variant is an edit of the model solution. Where two edits touch different lines, both can be made, and the
program that comes out is what a student with both errors would have written. Comments, docstrings, layout and
the order of imports do not count as edits.
"""

from __future__ import annotations

import ast
import difflib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# A variant that changes more of the solution's lines is another program, and no edit of it.
MOST_OF_IT = 0.5


@dataclass(frozen=True)
class Hunk:
    """Lines `start` to `stop` of the solution and what stands in their place."""

    start: int
    stop: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """A program without what does not count: imports apart, one line for each piece of a statement."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]


def merged(solution: Path, one: Path, other: Path) -> str | None:
    """Return the solution's source with the edits of both; None where they touch the same lines."""
    base = _read(solution)
    edits = _edits(solution, one), _edits(solution, other)
    if base is None or edits[0] is None or edits[1] is None:
        return None
    both = _both(edits[0], edits[1])
    programs = _read(one), _read(other)
    if both is None or programs[0] is None or programs[1] is None:
        return None
    imports = dict.fromkeys((*base.imports, *programs[0].imports, *programs[1].imports))
    return "\n".join([*imports, *_applied(base.lines, both)]) + "\n"


def _both(one: Sequence[Hunk], other: Sequence[Hunk]) -> list[Hunk] | None:
    own = [hunk for hunk in one if hunk not in other]
    others = [hunk for hunk in other if hunk not in one]
    if not own or not others:
        return None  # one of them is all that the other is
    if any(_touch(a, b) for a, b in itertools.product(own, other)) or any(
        _touch(a, b) for a, b in itertools.product(one, others)
    ):
        return None
    return sorted({*one, *other}, key=lambda hunk: (hunk.start, hunk.stop))


def _touch(one: Hunk, other: Hunk) -> bool:
    if one.start == one.stop and other.start == other.stop:
        return one.start == other.start
    return one.start < other.stop and other.start < one.stop


def _applied(lines: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    result: list[str] = []
    at = 0
    for hunk in hunks:
        result += [*lines[at : hunk.start], *hunk.lines]
        at = hunk.stop
    return [*result, *lines[at:]]


@lru_cache(maxsize=1024)
def _edits(solution: Path, path: Path) -> tuple[Hunk, ...] | None:
    base, changed = _read(solution), _read(path)
    if base is None or changed is None:
        return None
    hunks: list[Hunk] = []
    matcher = difflib.SequenceMatcher(None, base.lines, changed.lines, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            continue
        if j - i == m - k:  # line by line, so that an edit beside it can be told from it
            hunks += [Hunk(i + at, i + at + 1, (changed.lines[k + at],)) for at in range(j - i)]
        else:
            hunks.append(Hunk(i, j, changed.lines[k:m]))
    touched = sum(hunk.stop - hunk.start for hunk in hunks)
    return tuple(hunks) if touched <= MOST_OF_IT * len(base.lines) else None


@lru_cache(maxsize=1024)
def _read(path: Path) -> Program | None:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    lines = tuple(line for line in ast.unparse(tree).splitlines() if line.strip())
    return Program(tuple(ast.unparse(node) for node in imports), lines)
