"""Telling of checks while a submission is graded, as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from graders.messages import Seen, send
from graders.result import CheckResult, Visibility
from graders.workers import encodable

if TYPE_CHECKING:
    from graders.checks import Check


def telling(connection: Connection, checks: Iterable[Check]) -> Callable[[CheckResult], None]:
    """Return what says `Seen` of each check that ends, where students see it at any time."""
    of = sum(one.visibility is Visibility.ALWAYS for one in checks)

    def tell(ended: CheckResult) -> None:
        if ended.visibility is Visibility.ALWAYS:
            send(connection, Seen(encodable(ended.title), ended.verdict.value, of))

    return tell
