"""A name whose look-up hangs keeps nobody for longer than a while, and one thread waits for it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from attest.lti.errors import Unreachable
from attest.lti.names import Names
from attest.lti.web import Web

FOUND = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 443))]


class Resolver:
    """Hangs until it is let go; then every name has one address, but for the last one."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.began, self.goes_on = threading.Event(), threading.Event()

    def __call__(self, host: str, port: int, **named: object) -> list[object]:
        self.asked.append(host)
        self.began.set()
        self.goes_on.wait()
        if host == "nowhere.example":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return list(FOUND)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Resolver]:
    found = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", found)
    yield found
    found.goes_on.set()


def test_a_request_ends_though_the_look_up_does_not(resolver: Resolver) -> None:
    began = time.monotonic()
    with pytest.raises(Unreachable, match=r"The name hangs\.example was not looked up within 0\.2 s"):
        Web(name_seconds=0.2).request("GET", "https://hangs.example/jwks")
    with pytest.raises(Unreachable, match=r"hangs\.example was not looked up"):
        Web(total_seconds=0.2).request("GET", "https://hangs.example/jwks")
    assert time.monotonic() - began < 7  # of the 8 s that a name has


def test_who_asks_for_a_name_that_is_looked_up_waits_for_the_same_answer(resolver: Resolver) -> None:
    names = Names()
    for _ in range(5):
        with pytest.raises(Unreachable):
            names.look_up("lms.example", 443, 0.01)
    assert resolver.began.wait(60)
    assert resolver.asked == ["lms.example"]
    resolver.goes_on.set()
    assert names.look_up("lms.example", 443, 60) == FOUND


def test_only_so_many_names_are_looked_up_at_once(resolver: Resolver) -> None:
    names = Names(most=2)
    for host in ("a.example", "b.example"):
        with pytest.raises(Unreachable, match="within"):
            names.look_up(host, 443, 0.01)
    with pytest.raises(Unreachable, match="2 other names wait for an answer"):
        names.look_up("c.example", 443, 60)
    resolver.goes_on.set()
    assert names.look_up("a.example", 443, 60) == FOUND
    assert names.look_up("b.example", 443, 60) == FOUND
    assert names.look_up("c.example", 443, 60) == FOUND


def test_a_name_without_an_address_is_said_as_before(resolver: Resolver) -> None:
    resolver.goes_on.set()
    said = r"nowhere\.example/jwks could not be asked: its name could not be looked up"
    for _ in range(2):
        with pytest.raises(Unreachable, match=said):
            Web().request("GET", "https://nowhere.example/jwks")
