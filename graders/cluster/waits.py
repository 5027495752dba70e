"""What a run waits for while no worker has anything of it in hand, and what is said of that."""

from __future__ import annotations

from collections.abc import Callable

from graders.cluster.envelope import ClusterError

ALONE_SECONDS = 10.0  # without a word from any worker, after which it is said; and again after twice as long
REFUSED_SECONDS = 10.0  # in which another worker may take what one has refused


class Waits:
    """Since when nobody was heard of, and who has refused."""

    def __init__(self, say: Callable[[str], None], command: str, now: float) -> None:
        """`say` tells whoever waits a sentence; `command` starts a worker that is missing."""
        self._say = say
        self._command = command
        self._heard_at = now
        self._alone_after = ALONE_SECONDS
        self._refusals: dict[str, str] = {}
        self._refused_since: float | None = None

    def heard(self, now: float) -> None:
        """Note that some worker has said something, or that nobody could."""
        self._heard_at, self._alone_after = now, ALONE_SECONDS

    def taken(self) -> None:
        """Note that a worker has taken a job: there is one that does not refuse."""
        self._refused_since = None

    def refused(self, worker: str, why: str, now: float) -> None:
        """Say once of each worker what it has otherwise."""
        if self._refused_since is None:
            self._refused_since = now
        if self._refusals.get(worker) != why:
            self._refusals[worker] = why
            self._say(f"{worker} refuses this run: {why}")

    def look(self, now: float) -> None:
        """Say that nobody takes anything. Raises ClusterError where all refuse."""
        if self._refused_since is not None:
            if now - self._refused_since > REFUSED_SECONDS:
                told = "; ".join(f"{worker}: {why}" for worker, why in self._refusals.items())
                raise ClusterError(f"no worker grades this run. {told}")
        elif now - self._heard_at > self._alone_after:
            self._alone_after *= 2
            self._say(
                f"No worker has taken anything for {now - self._heard_at:.0f} s. Is one running? "
                f"{self._command}. Waiting."
            )
