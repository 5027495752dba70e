"""Where the submission's files lie in this guest."""

from __future__ import annotations

# Where there are mounts each guest has its own there; without, the guest sets its own as it is made.
_work = "/work"


def work() -> str:
    """The folder, without a slash at its end."""
    return _work


def set_work(path: str) -> None:
    global _work  # noqa: PLW0603  one guest is one process, and it has one folder
    _work = path
