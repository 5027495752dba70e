"""What a hostile or broken platform answers instead of what was asked: each a function of the connection."""

from __future__ import annotations

import gzip
import json
import random
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.lti.platform.gradebooks import Reply

_SAID = {403: "403 Forbidden (Rate Limit Exceeded)\n", 429: "Too many requests\n"}
Fault = Callable[[BaseHTTPRequestHandler], None]
_KEY = b'{"kty":"RSA","kid":"x","n":"AQAB","e":"AQAB"},'


def answer(
    body: bytes | dict[str, Any] | list[Any],
    status: int = 200,
    content_type: str = "application/json",
    **headers: str,
) -> Fault:
    """This, whatever was asked."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def say(connection: BaseHTTPRequestHandler) -> None:
        _start(connection, status, content_type, {"Content-Length": str(len(data)), **headers})
        connection.wfile.write(data)

    return say


def redirect(to: str, status: int = 302) -> Fault:
    """Somewhere else: a private address, for one."""
    return answer(b"", status, Location=to)


def endless(first: bytes = b'{"keys":[', again: bytes = _KEY) -> Fault:
    """A document that never ends, as fast as it is taken."""

    def say(connection: BaseHTTPRequestHandler) -> None:
        _start(connection, 200, "application/json", {"Connection": "close"})
        connection.wfile.write(first)
        while not _ended(connection).is_set():
            connection.wfile.write(again * 500)

    return say


def drip(pause: float = 0.2) -> Fault:
    """A byte now and then, so that no pause is ever long."""

    def say(connection: BaseHTTPRequestHandler) -> None:
        _start(connection, 200, "application/json", {"Connection": "close"})
        while not _ended(connection).wait(pause):
            connection.wfile.write(b" ")
            connection.wfile.flush()

    return say


def drip_headers(pause: float = 0.2) -> Fault:
    """A header now and then; the body never begins."""

    def say(connection: BaseHTTPRequestHandler) -> None:
        connection.close_connection = True
        connection.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not _ended(connection).wait(pause):
            connection.wfile.write(b"x")
            connection.wfile.flush()

    return say


def silent() -> Fault:
    """Nothing at all, on a connection that stays open."""

    def say(connection: BaseHTTPRequestHandler) -> None:
        connection.close_connection = True
        _ended(connection).wait()

    return say


def hang_up() -> Fault:
    """The connection is closed without a word."""

    def say(connection: BaseHTTPRequestHandler) -> None:
        connection.close_connection = True

    return say


def bomb(megabytes: int = 500) -> Fault:
    """A small body that unpacks to a huge one, sent whether or not compression was asked for."""
    data = gzip.compress(b" " * 1_000_000, 9) * megabytes  # members of one gzip stream

    def say(connection: BaseHTTPRequestHandler) -> None:
        headers = {"Content-Encoding": "gzip", "Content-Length": str(len(data))}
        _start(connection, 200, "application/json", headers)
        connection.wfile.write(data)

    return say


def throttled() -> Fault:
    """As Canvas says that a tool asks too often."""
    return answer(_SAID[403].encode(), 403, "text/html")


@dataclass
class Weather:
    """Says by seed, to a `share` of requests, that it has no time: to `done` of them after doing the work.

    The last is what a tool cannot see: the score is kept, and the answer says that it is not.
    """

    share: float
    seed: int = 0
    statuses: Sequence[int] = (429, 503)
    done: float = 0.3
    retry_after: float | None = None
    at: Collection[str] = ("lineitems", "lineitem", "scores", "results", "members")
    _random: random.Random = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def strikes(self) -> tuple[Reply, bool] | None:
        """What is said, and whether the work is done all the same; None in fine weather."""
        with self._lock:
            if self._random.random() >= self.share:
                return None
            status, done = self._random.choice(list(self.statuses)), self._random.random() < self.done
        headers = {} if self.retry_after is None else {"Retry-After": f"{self.retry_after:g}"}
        return Reply(status, _SAID.get(status, "Not now\n"), headers), done and status not in _SAID


def _start(
    connection: BaseHTTPRequestHandler, status: int, content_type: str, headers: Mapping[str, str]
) -> None:
    if headers.get("Connection") == "close":
        connection.close_connection = True
    connection.send_response(status)
    connection.send_header("Content-Type", content_type)
    for name, value in headers.items():
        connection.send_header(name.replace("_", "-"), value)
    connection.end_headers()


def _ended(connection: BaseHTTPRequestHandler) -> threading.Event:
    ended: threading.Event = connection.server.ended  # type: ignore[attr-defined]
    return ended
