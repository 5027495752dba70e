"""The process that sends scores to LMSs. It may be killed at any moment, and another one goes on.

`attest serve` runs it while something is linked: `python -P -m attest.portal.outbox.process`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from attest.portal.processes import begin, gone, own_name, stop_when_told

if TYPE_CHECKING:
    from attest.portal.lms.models import LinkedResource
    from attest.portal.outbox.noticing import Newest

SENDERS = 6  # that wait for LMSs' answers at once; of one LMS's fewer (`pauses.MOST_AT_ONE`)
LOOK_SECONDS = 1.0  # between two looks for changes, or into an empty outbox
AFTER_TROUBLE_SECONDS = 2.0
_ANYWAY_SECONDS = 30.0  # between two looks for changes where the last rows are the same
_COLUMN_AGAIN_SECONDS = 300.0  # after a column could not be made or renamed


class Outbox:
    """Notices what is to be sent, and sends it, until it is told to stop."""

    def __init__(self) -> None:
        from attest.portal.outbox.pauses import Pauses

        self.name = own_name()
        self.stopping = threading.Event()
        self.pauses = Pauses()
        self._waits = False  # whether something was to be sent at the last look
        self._idle: set[int] = set()  # senders that found nothing, and ask no more until something waits
        self._seen: Newest | None = None
        self._seen_at = 0.0
        self._tried: dict[int, float] = {}  # when a link's column was tried to be made or renamed

    def run(self) -> None:
        """Go on until `stopping` is set."""
        free_what_is_left()
        threads = [
            threading.Thread(target=self._again, args=(self._send, number), name=f"sender {number}")
            for number in range(SENDERS)
        ]
        # Beside looking for changes: an LMS that hangs would keep all others' scores.
        threads.append(threading.Thread(target=self._again, args=(self._ask, 0), name="columns"))
        for thread in threads:
            thread.start()
        self._again(self._look, 0)
        for thread in threads:
            thread.join()

    def _again(self, step: Callable[[int], bool], number: int) -> None:
        """Do a step again and again; after a fault, or where the database is not reached, wait a while."""
        from django.db import connections

        while not self.stopping.is_set():
            try:
                worked = step(number)
            except Exception:
                logging.getLogger("attest.portal").exception("fault")
                connections.close_all()
                self.stopping.wait(AFTER_TROUBLE_SECONDS)
                continue
            if not worked:
                self.stopping.wait(LOOK_SECONDS)
        connections.close_all()

    def _send(self, number: int) -> bool:
        from attest.portal.lms.reaching import service
        from attest.portal.outbox.sending import send_next

        if number in self._idle and not self._waits:
            return False
        sent = send_next(f"{self.name}/{number}", service, self.pauses)
        (self._idle.discard if sent else self._idle.add)(number)
        return sent

    def _look(self, _number: int) -> bool:
        """Notice what changed, and whether something is to be sent. No LMS is asked here.

        While nothing changes, this asks the database for little.
        """
        from attest.portal.outbox.columns import linked, may_send
        from attest.portal.outbox.noticing import newest
        from attest.portal.outbox.sending import waits

        now, at = newest(), time.monotonic()
        has_changed = now != self._seen or at - self._seen_at > _ANYWAY_SECONDS
        if has_changed:
            for resource in linked():
                if may_send(resource.context) and resource.lineitem_url:
                    self._look_at(resource)
            self._seen, self._seen_at = now, at
        self._waits = waits()
        return False

    def _look_at(self, resource: LinkedResource) -> None:
        """Look at one column. What goes wrong with it keeps no other back."""
        from attest.portal.logs import event
        from attest.portal.outbox.noticing import notice

        try:
            new = notice(resource)
            if new:
                event("scores", resource=resource.pk, new=new)
        except Exception:
            logging.getLogger("attest.portal").exception("fault")

    def _ask(self, _number: int) -> bool:
        """Make columns that are missing, rename those that we made, read what instructors ask to see."""
        from attest.lti.errors import LTIError
        from attest.portal.lms.reaching import service
        from attest.portal.outbox.columns import (
            linked,
            make,
            may_make,
            may_send,
            misnamed,
            note_trouble,
            read,
            rename,
        )
        from attest.portal.outbox.models import LookedAt

        wanted = set(LookedAt.objects.filter(read_wanted=True).values_list("resource", flat=True))
        renamed = misnamed()
        for resource in linked():
            try:
                if may_send(resource.context) and may_make(resource) and self._may_try_now(resource):
                    make(resource, service(resource.context.platform))
                elif resource.pk in renamed and self._may_try_now(resource):
                    rename(resource, service(resource.context.platform))
                if resource.pk in wanted and resource.lineitem_url:
                    read(resource, service(resource.context.platform))
            except LTIError as error:
                note_trouble(resource, error)
            except Exception:
                logging.getLogger("attest.portal").exception("fault")
        return False

    def _may_try_now(self, resource: LinkedResource) -> bool:
        """Whether it is time to make or rename a column; what fails is tried again after a while."""
        now = time.monotonic()
        if now < self._tried.get(resource.pk, -_COLUMN_AGAIN_SECONDS) + _COLUMN_AGAIN_SECONDS:
            return False
        self._tried[resource.pk] = now
        return True


def free_what_is_left() -> None:
    """Free what processes of this machine held that are there no more."""
    from attest.portal.outbox.models import OutgoingScore
    from attest.portal.outbox.sending import release

    held = OutgoingScore.objects.exclude(claimed_by="")
    for claimed_by in gone(set(held.values_list("claimed_by", flat=True))):
        release(claimed_by)


def main() -> None:
    """Send until SIGTERM, or until whoever started it has ended."""
    begin()
    outbox = Outbox()
    stop_when_told(outbox.stopping)
    outbox.run()


if __name__ == "__main__":
    main()
