"""Looking up names, bounded in time. The system's own way may take minutes, and cannot be broken off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from attest.lti.errors import Unreachable

MOST_AT_ONCE = 32  # names that are being looked up; a thread waits for each, as long as the system takes

Found = Sequence[tuple[int, int, int, str, tuple[Any, ...]]]  # as socket.getaddrinfo returns it


class Names:
    """Looks up names; who asks for one that is being looked up waits for the same answer. For all threads."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._most = most
        self._under_way: dict[tuple[str, int], Future[Found]] = {}
        self._lock = threading.Lock()

    def look_up(self, host: str, port: int, seconds: float) -> Found:
        """Return the addresses of a name. Raises OSError where it has none, Unreachable after `seconds`."""
        with self._lock:
            answer = self._under_way.get((host, port)) or self._begin(host, port)
        try:
            return answer.result(seconds)
        except TimeoutError:
            raise Unreachable(
                f"The name {host} was not looked up within {seconds:.1f} s: the name servers that this"
                " machine asks do not answer, or those of the name do not."
            ) from None

    def _begin(self, host: str, port: int) -> Future[Found]:
        if len(self._under_way) >= self._most:
            raise Unreachable(
                f"The name {host} was not looked up: {self._most} other names wait for an answer. Do this"
                " machine's name servers answer?"
            )
        answer: Future[Found] = Future()
        thread = threading.Thread(
            target=self._ask, args=(host, port, answer), name="looking up a name", daemon=True
        )
        thread.start()
        self._under_way[host, port] = answer
        return answer

    def _ask(self, host: str, port: int, answer: Future[Found]) -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except Exception as error:
            self._end(host, port)
            answer.set_exception(error)
        else:
            self._end(host, port)
            answer.set_result(found)

    def _end(self, host: str, port: int) -> None:
        """Forget a look-up before its answer is given: whoever asks after that asks anew."""
        with self._lock:
            del self._under_way[host, port]
