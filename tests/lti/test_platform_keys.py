"""A platform's public keys over real HTTP: kept, read again when one is new, bounded when hostile."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from attest.lti.errors import Refused, Unreachable
from attest.lti.platform_keys import PlatformKeys
from attest.lti.registrations import Registration
from attest.lti.web import Web
from tests.lti.forging import MOODLE, key_pair


class Publisher(ThreadingHTTPServer):
    """Publishes what it is told to, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.answer: Callable[[BaseHTTPRequestHandler], None] = publishing()
        self.asked = 0

    @property
    def registration(self) -> Registration:
        return replace(MOODLE, jwks_url=f"http://127.0.0.1:{self.server_port}/keys")


class _Answers(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        self.server.asked += 1
        with suppress(OSError):
            self.server.answer(self)

    def log_message(self, *values: object) -> None:
        """Say nothing."""


def saying(body: bytes, status: int = 200) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(connection: BaseHTTPRequestHandler) -> None:
        connection.send_response(status)
        connection.send_header("Content-Type", "application/json")
        connection.send_header("Content-Length", str(len(body)))
        connection.end_headers()
        connection.wfile.write(body)

    return answer


def public(name: str, **changed: Any) -> dict[str, Any]:
    return {**key_pair(name).as_dict(private=False), "use": "sig", "alg": "RS256", **changed}


def publishing(*names: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return saying(json.dumps({"keys": [public(name) for name in names]}).encode())


def endless(connection: BaseHTTPRequestHandler) -> None:
    connection.send_response(200)
    connection.end_headers()
    connection.wfile.write(b'{"keys": [')
    while True:
        connection.wfile.write(b'{"kty": "RSA", "kid": "x", "n": "AQAB", "e": "AQAB"},' * 500)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    server = Publisher()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(clock: Clock) -> PlatformKeys:
    return PlatformKeys(Web(allow_private=True, read_seconds=1, total_seconds=2), clock)


def test_a_key_is_read_once_and_kept_for_an_hour(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = publishing("platform")
    for _ in range(5):
        assert (
            keys.key_for(publisher.registration, "platform").as_dict(private=False)["n"]
            == public("platform")["n"]
        )
    clock.now += 3600
    keys.key_for(publisher.registration, "platform")
    assert publisher.asked == 1

    clock.now += 1
    keys.key_for(publisher.registration, "platform")
    assert publisher.asked == 2


def test_a_new_key_is_found_at_once(publisher: Publisher, keys: PlatformKeys, clock: Clock) -> None:
    publisher.answer = publishing("platform")
    keys.key_for(publisher.registration, "platform")
    publisher.answer = publishing("platform", "stranger")
    clock.now += 10

    assert keys.key_for(publisher.registration, "stranger").kid is None
    assert publisher.asked == 2


def test_a_key_that_is_published_no_more_ends_with_the_hour(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = publishing("platform")
    keys.key_for(publisher.registration, "platform")
    publisher.answer = publishing("stranger")
    clock.now += 3601

    with pytest.raises(Refused, match="no key 'platform'"):
        keys.key_for(publisher.registration, "platform")


def test_names_that_are_invented_ask_the_platform_once_in_ten_seconds(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = publishing("platform")
    for number in range(20):
        with pytest.raises(Refused, match="it has: platform"):
            keys.key_for(publisher.registration, f"invented {number}")
    assert publisher.asked == 1

    clock.now += 10
    with pytest.raises(Refused):
        keys.key_for(publisher.registration, "invented")
    assert publisher.asked == 2


def test_a_class_that_comes_at_once_asks_once(publisher: Publisher, keys: PlatformKeys) -> None:
    publisher.answer = publishing("platform")
    start = threading.Barrier(10)
    found: list[object] = []

    def come() -> None:
        start.wait()
        found.append(keys.key_for(publisher.registration, "platform"))

    threads = [threading.Thread(target=come) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 10
    assert publisher.asked == 1


def hanging(connection: BaseHTTPRequestHandler) -> None:
    time.sleep(4)


def reading(keys: PlatformKeys, publisher: Publisher) -> None:
    """Somebody asks meanwhile."""

    def come() -> None:
        with suppress(Unreachable):
            keys.key_for(publisher.registration, "platform")

    threading.Thread(target=come, daemon=True).start()


def test_behind_a_platform_that_hangs_nobody_waits_long(publisher: Publisher) -> None:
    publisher.answer = hanging
    keys = PlatformKeys(Web(allow_private=True, read_seconds=4, total_seconds=4))
    reading(keys, publisher)
    while not publisher.asked:
        time.sleep(0.01)
    began = time.monotonic()
    for _ in range(5):
        with pytest.raises(Unreachable, match="has not answered yet"):
            keys.key_for(publisher.registration, "platform")
    assert 1.5 < time.monotonic() - began < 3


def test_a_key_that_is_known_is_not_waited_for(publisher: Publisher, clock: Clock) -> None:
    keys = PlatformKeys(Web(allow_private=True, read_seconds=4, total_seconds=4), clock)
    publisher.answer = publishing("platform")
    keys.key_for(publisher.registration, "platform")
    publisher.answer = hanging
    clock.now += 3601
    reading(keys, publisher)
    while publisher.asked < 2:
        time.sleep(0.01)
    began = time.monotonic()
    keys.key_for(publisher.registration, "platform")
    assert time.monotonic() - began < 1


def test_after_a_try_that_took_long_the_platform_rests(publisher: Publisher, clock: Clock) -> None:
    def slow(connection: BaseHTTPRequestHandler) -> None:
        clock.now += 60

    publisher.answer = slow
    keys = PlatformKeys(Web(allow_private=True, read_seconds=1, total_seconds=2), clock)
    for _ in range(3):
        with pytest.raises(Unreachable):
            keys.key_for(publisher.registration, "platform")
    assert publisher.asked == 1


def test_two_platforms_may_name_their_keys_alike(publisher: Publisher, keys: PlatformKeys) -> None:
    publisher.answer = saying(json.dumps({"keys": [public("platform", kid="1")]}).encode())
    one = keys.key_for(publisher.registration, "1")
    publisher.answer = saying(json.dumps({"keys": [public("stranger", kid="1")]}).encode())
    at_other = replace(publisher.registration, jwks_url=f"{publisher.registration.jwks_url}/other")

    assert keys.key_for(at_other, "1") != one


def test_a_platform_that_does_not_answer_for_a_while_is_still_known(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = publishing("platform")
    keys.key_for(publisher.registration, "platform")
    publisher.answer = saying(b"", status=503)
    clock.now += 6 * 3600
    keys.key_for(publisher.registration, "platform")

    clock.now += 20
    with pytest.raises(Unreachable, match="answered 503"):
        keys.key_for(publisher.registration, "platform")


def test_a_platform_that_has_never_answered_is_not_called_a_forger(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = saying(b"", status=500)
    for _ in range(3):
        with pytest.raises(Unreachable, match="answered 500"):
            keys.key_for(publisher.registration, "platform")
    assert publisher.asked == 1

    publisher.answer = publishing("platform")
    clock.now += 10
    keys.key_for(publisher.registration, "platform")


def test_a_new_key_of_a_platform_that_does_not_answer_is_not_called_a_forgery(
    publisher: Publisher, keys: PlatformKeys, clock: Clock
) -> None:
    publisher.answer = publishing("platform")
    keys.key_for(publisher.registration, "platform")
    publisher.answer = saying(b"", status=503)
    clock.now += 10

    with pytest.raises(Unreachable, match="answered 503"):
        keys.key_for(publisher.registration, "stranger")


def test_a_page_that_says_no_publishes_no_keys(publisher: Publisher, keys: PlatformKeys) -> None:
    publisher.answer = saying(json.dumps({"keys": [public("platform")]}).encode(), status=404)

    with pytest.raises(Unreachable, match="answered 404"):
        keys.key_for(publisher.registration, "platform")


def test_a_document_of_many_keys_is_read(publisher: Publisher, keys: PlatformKeys) -> None:
    many = [public("stranger", kid=f"key {number}", x5c=["A" * 2000]) for number in range(150)]
    publisher.answer = saying(json.dumps({"keys": [*many, public("platform")]}).encode())

    keys.key_for(publisher.registration, "platform")


def test_a_document_that_never_ends(publisher: Publisher, keys: PlatformKeys) -> None:
    publisher.answer = endless
    began = time.monotonic()

    with pytest.raises(Unreachable, match="more than 1,048,576 bytes"):
        keys.key_for(publisher.registration, "x")

    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"keys": {}}',
        b'{"keys": "x"}',
        b"[" * 100_000,
        b'{"keys": [' + b"[" * 100_000,
        b"\xff\xfe",
        b"1" * 5000,
    ],
)
def test_what_is_no_document_of_keys(publisher: Publisher, keys: PlatformKeys, body: bytes) -> None:
    publisher.answer = saying(body)

    with pytest.raises(Unreachable):
        keys.key_for(publisher.registration, "platform")


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "platform",
        {"kid": "platform"},
        {"kty": "oct", "kid": "platform", "k": "c2VjcmV0"},
        {"kty": "EC", "kid": "platform", "crv": "P-256", "x": "AQ", "y": "AQ"},
        {"kty": "RSA", "kid": "platform", "n": "AQAB", "e": "AQAB"},
        {"kty": "RSA", "kid": "platform", "n": "é", "e": "AQAB"},
        {"kty": "RSA", "kid": "platform", "n": 7, "e": "AQAB"},
        {"kty": "RSA", "kid": "platform", "n": "_" * 400_000, "e": "AQAB"},
        {"kty": "RSA", "kid": ["platform"], "n": "_" * 400, "e": "AQAB"},
        public("platform", kty="EC"),
        public("platform", e="AQ"),
        public("platform", e="_" * 300),
        public("platform", use="enc"),
        public("platform", alg="RS512"),
        public("platform", alg="none"),
        public("platform", n=public("platform")["n"][:170]),  # 1,020 bits
    ],
)
def test_a_key_that_must_not_verify_anything(publisher: Publisher, keys: PlatformKeys, entry: object) -> None:
    publisher.answer = saying(json.dumps({"keys": [entry, public("stranger")]}).encode())

    with pytest.raises(Refused) as error:
        keys.key_for(publisher.registration, "platform")

    assert error.value.claim == "kid"
    keys.key_for(publisher.registration, "stranger")


def test_of_two_keys_with_one_name_the_first_counts(publisher: Publisher, keys: PlatformKeys) -> None:
    both = [public("platform", kid="1"), public("stranger", kid="1")]
    publisher.answer = saying(json.dumps({"keys": both}).encode())

    assert keys.key_for(publisher.registration, "1").as_dict(private=False)["n"] == public("platform")["n"]
