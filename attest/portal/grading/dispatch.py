"""The process of the dispatcher: `python -P -m attest.portal.grading.dispatch`, with the portal's settings in
the environment. `attest serve` starts it where ATTEST_BROKER is set.
"""

from __future__ import annotations

from attest.portal.processes import begin, stop_when_told


def main() -> None:
    """Be the dispatcher until SIGTERM, or until whoever started it has ended."""
    begin()
    from attest.portal.grading.dispatcher import Dispatcher

    dispatcher = Dispatcher()
    stop_when_told(dispatcher.stopping)
    dispatcher.run()


if __name__ == "__main__":
    main()
