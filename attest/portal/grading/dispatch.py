"""The process of the dispatcher: `python -P -m attest.portal.grading.dispatch`, with the portal's settings in
the environment. `attest serve` starts it where ATTEST_BROKER is set.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

from graders.workers import die_with_parent


def main() -> None:
    """Be the dispatcher until SIGTERM, or until whoever started it has ended."""
    if os.environ.get("ATTEST_PORTAL_PARENT"):
        die_with_parent(int(os.environ["ATTEST_PORTAL_PARENT"]))
    import django

    django.setup()
    from attest.portal.grading.dispatcher import Dispatcher
    from attest.portal.logs import write_logs

    write_logs()
    dispatcher = Dispatcher()

    def stop(_number: int, _frame: FrameType | None) -> None:
        dispatcher.stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the portal, which then ends it
    dispatcher.run()


if __name__ == "__main__":
    main()
