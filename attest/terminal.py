"""Printing to a person's terminal: sentences, tables, and student text made harmless.

Anything that came from a submission (names, paths, messages, output) goes through `visible_text` or
`one_line` before it is printed: a terminal obeys escape sequences, and a right-to-left mark reorders a line.
So does a path that was given, by `shown_path`. No printed line begins with `::`, which CI services obey.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from reports.visible_text import one_line, visible_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

BAR = "│ "  # before the lines that a student's code has written
_COMMAND = re.compile(r"^([^\S\n]*+)(?=::)", re.MULTILINE)
_COMMAND_ANYWHERE = re.compile(r"##(?=(?:vso)?\[)")

FILE_WIDTH = 120  # columns, where the output goes to a file or a pipe

ALL_WELL = 0
NOT_ALL_WELL = 1  # some could not be graded, some checks did not pass, an assignment is not proved
WRONG_USE = 2  # nothing could be done with what was given
INTERRUPTED = 130  # stopped by Ctrl-C, as shells count it


def harmless(text: str) -> str:
    """Return visible text without a CI service's commands: `::name` at a line's start, `##[name]` in it."""
    return _COMMAND_ANYWHERE.sub("## ", _COMMAND.sub(rf"\1{BAR}", text))


def shown_path(path: Path) -> str:
    """Return a path on one visible line, whatever it is called."""
    return harmless(one_line(os.fsencode(path).decode("utf-8", "replace"), 1000))


def quoted_path(path: Path) -> str:
    """Return a path as it is written into a command that can be copied."""
    return shlex.quote(shown_path(path))


def quoted(word: str) -> str:
    """Return a word as it is written into a command that can be copied."""
    return shlex.quote(harmless(one_line(word, 1000)))


def stop(message: str, status: int = WRONG_USE, details: str = "") -> NoReturn:
    """Print one sentence on standard error, and `details` above it, and end with `status`."""
    with suppress(OSError):
        if details:
            print(harmless(visible_text(details)), file=sys.stderr)
        print(f"attest: {one_line(message, 4000)}", file=sys.stderr, flush=True)
    raise SystemExit(status)


@contextmanager
def sentences(*kinds: type[Exception]) -> Iterator[None]:
    """Turn these exceptions, whose messages are made for the user, into a sentence and an exit status."""
    try:
        yield
    except kinds as error:
        stop(str(error), details=getattr(error, "details", ""))
    except KeyboardInterrupt:
        stop("stopped.", INTERRUPTED)


def console(*, stderr: bool = False) -> Console:
    """Return a console that never reads markup or emoji codes out of what it prints."""
    from rich.console import Console

    screen = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = FILE_WIDTH
    return screen


def cell(content: str, style: str = "", limit: int = 200) -> Text:
    """Return one line of anybody's text for a table."""
    from rich.text import Text

    return Text(harmless(one_line(content, limit)), style=style)
