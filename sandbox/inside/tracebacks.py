"""What a student reads of an exception: its type, its message, and the lines of their own code.

Frames of libraries and of the sandbox are left out: a student can do nothing about them.
"""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Mapping
from types import TracebackType

import torch

from .folder import work
from .questions import Raised

MAX_MESSAGE = 2000
MAX_FRAMES = 12
MAX_BASES = 20
MAX_LINE = 300

# How torch words a failed allocation, when it is not a MemoryError.
_MEMORY_WORDS = ("can't allocate memory", "not enough memory", "cannot allocate memory", "bad_alloc")

# What torch says next names sizes; this says whose they are.
_DEVICE_IS_FULL = "The GPU had no memory left for your code."


def describe(number: int, error: BaseException, files: Mapping[str, str]) -> Raised:
    """The answer for an exception. `files` maps code file names to what the student calls them."""
    message = message_of(error)
    memory = isinstance(error, MemoryError) or any(words in message.lower() for words in _MEMORY_WORDS)
    if isinstance(error, torch.OutOfMemoryError):
        memory, message = True, f"{_DEVICE_IS_FULL} {message}"[:MAX_MESSAGE]
    lines, assertion = lines_of(error, files), isinstance(error, AssertionError)
    return Raised(number, type(error).__name__[:200], message, lines, memory, assertion, bases_of(error))


def bases_of(error: BaseException) -> list[str]:
    """The names of the exceptions of Python that its class is or is made from."""
    made_from = [base for base in type(error).__mro__ if issubclass(base, BaseException)]
    return [base.__name__ for base in made_from if getattr(builtins, base.__name__, None) is base][:MAX_BASES]


def message_of(error: BaseException) -> str:
    """The text of an exception, bounded; reading it may run student code, which may raise in turn."""
    try:
        text = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
        text = str(text)
    except BaseException:
        return "(its message could not be read)"
    if len(text) > MAX_MESSAGE:
        text = text[:MAX_MESSAGE] + " … (cut)"
    return text.encode("utf-8", "replace").decode()


def lines_of(error: BaseException, files: Mapping[str, str]) -> list[str]:
    """Two lines a frame of the student's code: where, and the source line, innermost last."""
    frames = _frames(error.__traceback__, files)
    if len(frames) > MAX_FRAMES:
        kept = MAX_FRAMES // 2
        frames = [*frames[:kept], ("", len(frames) - 2 * kept, ""), *frames[-kept:]]
    lines = []
    for file, line, function in frames:
        if file:
            name = files.get(file) or file.removeprefix(f"{work()}/")
            inside = f", in {function}" if function.isidentifier() or function == "<lambda>" else ""
            lines += _two_lines(f"{name}, line {line}{inside}", linecache.getline(file, line))
        else:
            lines.append(f"… {line} more calls …")
    if isinstance(error, SyntaxError) and error.filename and error.filename in files and error.lineno:
        lines += _two_lines(f"{files[error.filename]}, line {error.lineno}", error.text or "")
    return lines


def _two_lines(place: str, source: str) -> list[str]:
    found = [place, "    " + source.strip()] if source.strip() else [place]
    return [line[:MAX_LINE].encode("utf-8", "replace").decode() for line in found]


def _frames(traceback: TracebackType | None, files: Mapping[str, str]) -> list[tuple[str, int, str]]:
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in files or code.co_filename.startswith(f"{work()}/"):
            found.append((code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    return found
