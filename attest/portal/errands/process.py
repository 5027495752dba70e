"""The process that does errands: one after another until none is left. It may be killed at any moment.

`attest serve` starts it when there is one: `python -P -m attest.portal.errands.process`, and one of its own
for those that are quickly done, which somebody waits for, with the argument `quick`.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attest.portal.processes import begin, own_name

if TYPE_CHECKING:
    from attest.portal.errands.models import Errand

BEAT_SECONDS = 5.0


class CannotDo(RuntimeError):
    """An errand comes to nothing, whoever does it. The message tells the instructor why."""


def do_all(works: dict[str, Callable[[Errand, str], None]]) -> None:
    """Do errands of these kinds until there is none. A work finishes its own, with what came of it."""
    from attest.portal.errands import line
    from attest.portal.logs import event

    who = own_name()
    while (errand := line.claim(who, works)) is not None:
        event("errand", errand=errand.pk, kind=errand.kind, tries=errand.tries)
        with _signs_of_life(errand, who):
            try:
                works[errand.kind](errand, who)
            except CannotDo as error:
                line.finish(errand, who, str(error))
            except Exception as error:
                logging.getLogger("attest.portal").exception("fault")
                line.finish(errand, who, f"A fault of Attest's: {type(error).__name__}. Please report it.")


@contextmanager
def _signs_of_life(errand: Errand, who: str) -> Iterator[None]:
    """Prolong an errand while the block runs; where it has become somebody else's, end at once."""
    from django.db import DatabaseError, connections

    from attest.portal.errands import line

    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            try:
                if not line.prolong(errand, who) and not ended.is_set():
                    os._exit(1)
            except DatabaseError:
                continue
        connections.close_all()

    beating = threading.Thread(target=beat, name="signs of life", daemon=True)
    beating.start()
    try:
        yield
    finally:
        ended.set()
        beating.join()


def main() -> None:
    """Do what there is to do, then end."""
    begin()
    from attest.portal.errands.models import Errand

    if sys.argv[1:] == ["quick"]:
        from attest.portal.regrading.accepting import bring_into_force

        do_all({Errand.Kind.ACCEPTANCE: bring_into_force})
    else:
        from attest.portal.likeness.comparing import compare_cohort
        from attest.portal.lms.rosters import read_roster
        from attest.portal.uploads.validating import validate_upload

        do_all(
            {
                Errand.Kind.LIKENESS: compare_cohort,
                Errand.Kind.VALIDATION: validate_upload,
                Errand.Kind.ROSTER: read_roster,
            }
        )


if __name__ == "__main__":
    main()
