"""What is asked of addresses that others gave us: bounded in size, in time and in where it goes."""

from __future__ import annotations

import gzip
import re
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from attest.lti.errors import Unreachable
from attest.lti.web import Web, check_address

BOMB_BYTES = 64 << 20


class Answers(BaseHTTPRequestHandler):
    """A server whose every path does one thing."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, dict[str, str]]]

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers)))  # type: ignore[attr-defined]
        name = self.path.partition("?")[0].strip("/").replace("-", "_")
        getattr(self, f"say_{name}")()

    do_POST = do_GET

    def say(self, body: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def say_plain(self) -> None:
        self.say(b'{"keys": []}', content_type="application/json", Link="<a>; rel=next")

    def say_echo(self) -> None:
        self.say(self.rfile.read(int(self.headers["Content-Length"])), status=201)

    def say_port(self) -> None:
        self.say(b"", status=302, location="https://lms.example:99999999/")

    def say_host(self) -> None:
        self.say(b"", status=302, location="https://%zz/")

    def say_zipped(self) -> None:
        self.say(gzip.compress(b"unpacked"), content_encoding="gzip")

    def say_bomb(self) -> None:
        self.say(zlib.compress(bytes(BOMB_BYTES)), content_encoding="deflate")

    def say_nested(self) -> None:
        self.say(b"[" * 200_000)

    def say_page(self) -> None:
        self.say(b"<h1>Sign in</h1>", content_type="text/html")

    def say_large(self) -> None:
        self.say(bytes(300_000))

    def say_endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            while True:
                self.wfile.write(bytes(65_536))

    def say_slow_head(self) -> None:
        self.drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")

    def say_slow_body(self) -> None:
        self.drip(b"HTTP/1.1 200 OK\r\n\r\n")

    def drip(self, begin: bytes) -> None:
        self.close_connection = True
        self.wfile.write(begin)
        for _ in range(200):
            try:
                self.wfile.write(b"x")
            except OSError:
                return
            time.sleep(0.05)

    def say_silent(self) -> None:
        self.close_connection = True
        time.sleep(3)

    def say_half(self) -> None:
        self.close_connection = True
        self.say(b"half", content_length="4000")

    def say_away(self) -> None:
        self.say(b"", status=302, location="/plain?from=away")

    def say_elsewhere(self) -> None:
        self.say(b"", status=302, location=f"http://localhost:{self.server.server_port}/plain")  # type: ignore[attr-defined]

    def say_metadata(self) -> None:
        self.say(b"", status=302, location="http://169.254.169.254/latest/meta-data/")

    def say_files(self) -> None:
        self.say(b"", status=302, location="file:///etc/passwd")

    def say_round(self) -> None:
        self.say(b"", status=302, location="/round")

    def log_message(self, *values: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    with serving() as server:
        yield server


@pytest.fixture
def here(server: ThreadingHTTPServer) -> str:
    server.asked.clear()  # type: ignore[attr-defined]
    return f"http://127.0.0.1:{server.server_port}"


WEB = Web(allow_private=True)
HURRIED = Web(allow_private=True, read_seconds=0.5, total_seconds=1.0)


def test_an_answer_is_returned_with_its_status_and_lower_case_headers(here: str) -> None:
    reply = WEB.request("GET", f"{here}/plain")
    assert (reply.status, reply.json(), reply.headers["link"]) == (200, {"keys": []}, "<a>; rel=next")


def test_a_body_arrives_as_it_was_sent(here: str) -> None:
    reply = WEB.request("POST", f"{here}/echo", body=b"\x00scores", headers={"Content-Type": "x/y"})
    assert (reply.status, reply.body) == (201, b"\x00scores")


def test_what_is_compressed_is_unpacked(here: str) -> None:
    assert WEB.request("GET", f"{here}/zipped").body == b"unpacked"


@pytest.mark.parametrize("path", ["bomb", "large", "endless"])
def test_too_much_is_not_read(here: str, path: str) -> None:
    with pytest.raises(Unreachable, match="more than 200,000 bytes"):
        WEB.request("GET", f"{here}/{path}", most_bytes=200_000)


@pytest.mark.parametrize("path", ["slow-head", "slow-body", "silent"])
def test_a_slow_answer_is_cut(here: str, path: str) -> None:
    begun = time.monotonic()
    with pytest.raises(Unreachable, match=r"too long|in time"):
        HURRIED.request("GET", f"{here}/{path}")
    assert time.monotonic() - begun < 3


def test_half_an_answer_is_none(here: str) -> None:
    with pytest.raises(Unreachable, match="could not be asked"):
        WEB.request("GET", f"{here}/half")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:1/jwks", "could not be asked: connection refused."),
        ("http://nowhere.invalid/jwks", "could not be asked: its name could not be looked up."),
    ],
)
def test_what_a_system_says_is_said_without_its_number(url: str, says: str) -> None:
    with pytest.raises(Unreachable, match=re.escape(says)):
        WEB.request("GET", url)


def test_who_has_an_lms_without_https_reads_how_it_is_asked() -> None:
    with pytest.raises(Unreachable, match=r"begin with https://\. .*ATTEST_PORTAL_PRIVATE_PLATFORMS=yes"):
        Web().request("GET", "http://moodle.example.edu/jwks")
    with pytest.raises(Unreachable, match=r"begin with https://\.$"):
        Web().request("GET", "ftp://moodle.example.edu/jwks")


@pytest.mark.parametrize(("path", "kind"), [("page", "text/html"), ("nested", "no content type")])
def test_what_is_no_json_is_said_with_its_kind_and_beginning(here: str, path: str, kind: str) -> None:
    reply = WEB.request("GET", f"{here}/{path}?secret=1")
    with pytest.raises(Unreachable, match=f"{kind}; JSON was expected.") as raised:
        reply.json()
    assert "secret" not in str(raised.value)


def test_a_redirect_is_followed_for_get_only(here: str, server: ThreadingHTTPServer) -> None:
    assert WEB.request("GET", f"{here}/away").url == f"{here}/plain?from=away"
    assert WEB.request("POST", f"{here}/away", body=b"").status == 302


def test_a_token_does_not_follow_to_another_host(here: str, server: ThreadingHTTPServer) -> None:
    for path in ("away", "elsewhere"):
        WEB.request("GET", f"{here}/{path}", headers={"authorization": "Bearer x"})
    sent = [headers.get("authorization") for _, path, headers in server.asked if path.startswith("/plain")]  # type: ignore[attr-defined]
    assert sent == ["Bearer x", None]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("metadata", "private network"),
        ("files", "must begin with https"),
        ("round", "more than 3 redirects"),
        ("port", "no address"),
        ("host", "no address"),
    ],
)
def test_a_redirect_is_looked_at_like_an_address(here: str, path: str, why: str) -> None:
    with pytest.raises(Unreachable, match=why):
        WEB.request("GET", f"{here}/{path}")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "file:///etc/passwd",
        "https://",
        "https://user:word@example.org/",
        "https://[::1",
        "gopher://example.org/",
        "example.org",
        "",
    ],
)
def test_an_address_of_another_form_is_not_asked(url: str) -> None:
    with pytest.raises(Unreachable):
        Web().request("GET", url)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "0.0.0.0", "10.1.2.3", "192.168.0.1", "169.254.169.254"),
        *("0x7f000001", "2130706433", "127.1", "100.100.100.200", "224.0.0.1"),
        *("[::1]", "[::ffff:127.0.0.1]", "[fd00::1]", "[fe80::1]"),
    ],
)
def test_no_byte_goes_to_a_private_address(host: str) -> None:
    with pytest.raises(Unreachable, match="inside a private network"):
        Web().request("GET", f"https://{host}:9/")


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://[fd00::1]/", ("fd00::1", 80)),
        ("https://[fd00::1]/", ("fd00::1", 443)),
        ("https://[fd00::1]:8443/", ("fd00::1", 8443)),
        ("http://[fe80::1%25lo]/", ("fe80::1%lo", 80)),
    ],
)
def test_an_address_of_ipv6_is_no_name_with_a_port(
    monkeypatch: pytest.MonkeyPatch, url: str, asked: tuple[str, int]
) -> None:
    found: list[tuple[str, int]] = []

    def look_up(host: str, port: int, **named: object) -> list[object]:
        found.append((host, port))
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fe80::1", port, 0, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(Unreachable, match="inside a private network"):
        WEB.request("GET", url)
    assert found == [asked]


def test_the_address_that_is_dialled_is_the_one_that_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that has another address when it is looked up again gains nothing: it is looked up once."""
    asked: list[str] = []

    def rebinding(host: str, port: int, **named: object) -> list[object]:
        asked.append(host)
        number = "127.0.0.1" if len(asked) > 1 else "192.0.2.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with pytest.raises(Unreachable, match=r"192\.0\.2\.1"):
        Web().request("GET", "https://rebinding.example/")
    assert asked == ["rebinding.example"]


@pytest.mark.parametrize("number", ["64:ff9b::7f00:1", "2002:7f00:1::", "fec0::1", "ff02::1", "::"])
def test_an_address_that_stands_for_a_private_one_is_private(number: str) -> None:
    with pytest.raises(Unreachable):
        check_address(number, "example.org", private_too=False)


@pytest.mark.parametrize("private_too", [True, False])
@pytest.mark.parametrize(
    "number",
    [
        *("169.254.169.254", "::ffff:169.254.169.254", "fe80::a9fe:a9fe", "64:ff9b::a9fe:a9fe"),
        *("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
    ],
)
def test_where_a_cloud_keeps_its_secrets_is_asked_by_no_setting(number: str, private_too: bool) -> None:
    with pytest.raises(Unreachable):
        check_address(number, "example.org", private_too=private_too)


@pytest.mark.parametrize("number", ["10.0.0.7", "127.0.0.1", "fd00:ec3::7", "192.168.0.2"])
def test_a_private_network_is_asked_where_the_portal_is_told_so(number: str) -> None:
    check_address(number, "moodle.intern", private_too=True)


@pytest.mark.parametrize("number", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_a_public_address_is_asked(number: str) -> None:
    check_address(number, "example.org", private_too=False)


def test_a_platform_that_is_not_there_is_named(here: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unreachable, match=rf"http://127\.0\.0\.1:{port}/jwks could not be asked"):
        WEB.request("GET", f"http://127.0.0.1:{port}/jwks?token=1")
