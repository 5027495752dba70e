"""Which of a submission's files are programs, what is in them, and which one is graded first.

Works on bytes in memory and never compiles or runs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graders.reading.entries import is_program_name
from graders.reading.kinds import looks_like_notebook, looks_like_python
from graders.reading.names import bare_stem, closeness, listed, shown, split_suffix
from graders.reading.notebook import read_notebook
from graders.reading.submission import ProseCell, ReadingLimits, UnreadableSubmission
from graders.reading.text import decode

if TYPE_CHECKING:
    from sandbox import Program

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]{1,200})", re.MULTILINE)
_TEST_STEMS = frozenset({"conftest", "setup", "__init__"})
_LOOKED_AT = 500_000  # characters of a program that decide its rank


@dataclass
class Programs:
    """What was found so far; `files` are the files whose bytes had to be rescued, as UTF-8."""

    programs: list[Program] = field(default_factory=list)
    prose: list[ProseCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # one sentence for each program that cannot be read
    rescued: dict[str, bytes] = field(default_factory=dict)


def find_programs(
    files: Mapping[str, bytes],
    wanted: Sequence[str],
    names: Sequence[str],
    limits: ReadingLimits,
    *,
    words: bool = False,
) -> Programs:
    """Read every script and notebook among `files`, the one to grade first.

    `wanted` are the file names that the assignment asks for, `names` what it wants defined. A file that
    holds a notebook counts as one whatever it is called; other text that holds Python counts only where
    nothing else does. Where `words` are asked for, a notebook without code is read for what it says.
    """
    found = Programs()
    for name, data in files.items():
        if is_program_name(name) or looks_like_notebook(data):
            _add(found, name, data, limits, words)
    if not found.programs and not found.prose:
        for name, data in files.items():
            if split_suffix(name)[1] in ("", ".txt", ".text", ".ipy", ".pyw") and looks_like_python(
                data[:200_000].decode("utf-8", "replace")
            ):
                _add(found, name, data, limits, words)
    found.programs = _ranked(found.programs, wanted, names)
    order = {program.path: index for index, program in enumerate(found.programs)}
    found.prose.sort(key=lambda cell: order.get(cell.path, len(order)))  # each notebook's stay as they are
    if len(found.programs) > 1:
        found.notes.insert(0, which_is_graded(found.programs))
    return found


def which_is_graded(programs: Sequence[Program]) -> str:
    """Say which of several programs is the one to grade."""
    first, *others = (program.path for program in programs)
    return f"{shown(first)} was graded; what it does not define was looked for in {listed(others)}."


def _add(found: Programs, name: str, data: bytes, limits: ReadingLimits, words: bool) -> None:
    """Read one file as what it holds, whatever it is called."""
    from sandbox import Program

    as_notebook = looks_like_notebook(data) or split_suffix(name)[1] == ".ipynb" or ".ipynb." in name.lower()
    try:
        decoded = decode(data, name, script=not as_notebook)
        text = decoded.text
        if as_notebook and not text.lstrip().startswith(("{", "[")) and looks_like_python(text):
            as_notebook = False
            found.notes.append(
                f"{shown(name)} is a Python script, not a notebook, and was read as one; call it .py."
            )
        if as_notebook:
            notebook = read_notebook(text, name, limits, words=words)
            if notebook.cells:
                found.programs.append(Program("notebook", name, notebook.cells, notebook.numbers))
            found.prose += notebook.prose
            found.notes += notebook.notes
            if split_suffix(name)[1] != ".ipynb":
                found.notes.append(f"{shown(name)} is a notebook and was read as one; call it .ipynb.")
        else:
            found.programs.append(Program("script", name, (text,)))
            if split_suffix(name)[1] not in (".py", ".ipynb"):
                found.notes.append(f"{shown(name)} is a Python script and was read as one; call it .py.")
            if decoded.rescued:
                found.rescued[name] = text.encode("utf-8", "replace")
        found.notes += decoded.notes
    except UnreadableSubmission as error:
        found.refused.append(str(error))


def _ranked(programs: Sequence[Program], wanted: Sequence[str], names: Sequence[str]) -> list[Program]:
    """Order programs: the files asked for, what defines the names asked for, what is imported last, size."""
    code = {program.path: "\n".join(program.cells)[:_LOOKED_AT] for program in programs}
    imported = {path: _imports(text) for path, text in code.items() if not _is_test(bare_stem(path))}
    defining = re.compile(
        rf"^(?:async[ \t]+)?(?:(?:def|class)[ \t]+)?({'|'.join(map(re.escape, names))})\b[ \t]*[=(:]",
        re.MULTILINE,
    )

    def rank(program: Program) -> tuple[tuple[int, int], int, bool, bool, int, bool, int, str]:
        path = program.path
        stem = bare_stem(path)
        asked = min(((closeness(path, name), index) for index, name in enumerate(wanted)), default=(4, 0))
        return (
            asked if asked[0] < 4 else (4, 0),
            -len(set(defining.findall(code[path]))) if names else 0,
            _is_test(stem),
            any(stem in modules for other, modules in imported.items() if other != path),
            path.count("/"),
            program.kind == "script",
            -sum(map(len, program.cells)),
            path,
        )

    return sorted(programs, key=rank)


def _is_test(stem: str) -> bool:
    return stem in _TEST_STEMS or stem.startswith("test_") or stem.endswith("_test")


def _imports(code: str) -> frozenset[str]:
    return frozenset(word for line in _IMPORT.findall(code) for word in re.split(r"[^\w]+", line) if word)
