"""Printing to a person's terminal: sentences, tables, and student text made harmless.

Anything that came from a submission (names, paths, messages, output) goes through `visible_text` or
`one_line` before it is printed: a terminal obeys escape sequences, and a right-to-left mark reorders a line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from reports.visible_text import one_line, visible_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

FILE_WIDTH = 120  # columns, where the output goes to a file or a pipe

ALL_WELL = 0
NOT_ALL_WELL = 1  # some could not be graded, some checks did not pass, an assignment is not proved
WRONG_USE = 2  # nothing could be done with what was given
INTERRUPTED = 130  # stopped by Ctrl-C, as shells count it


def stop(message: str, status: int = WRONG_USE) -> NoReturn:
    """Print one sentence on standard error and end with `status`."""
    print(f"attest: {visible_text(message)}", file=sys.stderr, flush=True)
    raise SystemExit(status)


@contextmanager
def sentences(*kinds: type[Exception]) -> Iterator[None]:
    """Turn these exceptions, whose messages are made for the user, into a sentence and an exit status."""
    try:
        yield
    except kinds as error:
        stop(str(error))
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

    return Text(one_line(content, limit), style=style)
