"""Requests to addresses that others gave us: a platform's keys, tokens, grades, rosters.

An address may come from a form, a launch or a redirect, so none is trusted: `https` only, no address of a
private network, and whatever answers is bounded in size and in time. Knows nothing of LTI's messages.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, ClassVar
from urllib.parse import urljoin

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.response import HTTPResponse
from urllib3.util import Url, create_urllib3_context, parse_url

from attest.lti.errors import Unreachable
from attest.lti.names import Names

MOST_BYTES = 1 << 20  # some platforms' key sets exceed 64 KB; a page of a roster may be larger still
MOST_REDIRECTS = 3
_MOST_ADDRESSES = 4  # of one name that are tried
_NAMES = Names()
_ALLOW = (
    "Where yours is in the school's own network, start the portal with ATTEST_PORTAL_PRIVATE_PLATFORMS=yes."
)
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = (301, 302, 303, 307, 308)
# Where clouds keep secrets, beside the link-local 169.254.169.254: Amazon, Google, Alibaba, Oracle, Azure.
_SECRETS = frozenset(
    ipaddress.ip_address(number)
    for number in ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # IPv4 behind NAT64, RFC 6052


@dataclass(frozen=True)
class Reply:
    """What came back: names of headers are lower-case; the body is decompressed and whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""  # that answered, after redirects

    def json(self) -> Any:
        """Return the body read as JSON; `Unreachable` where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            kind = self.headers.get("content-type", "no content type")[:100]
            raise Unreachable(
                f"{bare(self.url)} answered {self.status} with {kind}; JSON was expected."
                f" It began {self.beginning!r}."
            ) from None

    @property
    def beginning(self) -> str:
        """The first characters of the body, for a person who looks for what is wrong."""
        return " ".join(self.body[:400].decode(errors="replace").split())[:200]


@dataclass(frozen=True)
class Web:
    """How we ask. Safe to share between threads.

    `allow_private` is for a platform on this machine or in the school's own network: then plain `http` and
    private addresses are allowed, too.
    """

    allow_private: bool = False
    name_seconds: float = 8.0  # a resolver asks its second server after 5
    connect_seconds: float = 5.0
    read_seconds: float = 15.0  # without a byte
    total_seconds: float = 30.0  # of one request, redirects included, however slowly it drips
    most_bytes: int = MOST_BYTES
    _tls: ssl.SSLContext = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        context = create_urllib3_context()
        context.load_default_certs()  # the system's, or those that SSL_CERT_FILE names
        object.__setattr__(self, "_tls", context)

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        most_bytes: int | None = None,
    ) -> Reply:
        """Ask, and return the answer whatever its status; `Unreachable` where there is none to use.

        Redirects are followed for GET alone. An `Authorization` is not carried to another host.
        """
        until = time.monotonic() + self.total_seconds
        carried = {"User-Agent": "Attest", "Accept-Encoding": "gzip", **(headers or {})}
        for _ in range(MOST_REDIRECTS + 1):
            content, answer = self._ask(method, url, carried, body, until=until, most=most_bytes)
            lower = {name.lower(): ", ".join(answer.headers.getlist(name)) for name in answer.headers}
            reply = Reply(answer.status, lower, content, url)
            location = reply.headers.get("location")
            if method != "GET" or reply.status not in _REDIRECTS or not location:
                return reply
            before, url = url, _joined(url, location)
            if _origin(before) != _origin(url):
                carried = {name: value for name, value in carried.items() if name.lower() != "authorization"}
        raise Unreachable(f"{bare(url)} is where more than {MOST_REDIRECTS} redirects led.")

    def _ask(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        until: float,
        most: int | None,
    ) -> tuple[bytes, HTTPResponse]:
        address = _parsed(url, plain_too=self.allow_private)
        connection = self._connection(address, until)
        named = f"{address.scheme}://{address.netloc}{address.path or '/'}"
        try:
            with _bounded(connection, until, named):
                connection.request(
                    method, address.request_uri, body=body, headers=headers, preload_content=False
                )
                answer = connection.getresponse()
                return _content(answer, most or self.most_bytes, named), answer
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            raise Unreachable(f"{named} could not be asked: {_said(error)}.") from error
        finally:
            connection.close()

    def _connection(self, address: Url, until: float) -> HTTPConnection:
        host = (address.host or "").strip("[]")
        port = address.port or _PORTS[address.scheme or "https"]  # else it is looked for in an IPv6 address
        seconds = {"timeout": self.connect_seconds, "read_seconds": self.read_seconds}
        seconds |= {"name_seconds": self.name_seconds, "until": until}
        if address.scheme == "http":
            return _Plain(host, port, **seconds)
        kind = _PrivateToo if self.allow_private else _Public
        return kind(host, port, ssl_context=self._tls, **seconds)


class _Dialling(HTTPConnection):
    """A connection that looks at every address before it is dialled, and dials that one and no other.

    It is there before `until`, a time of the monotonic clock, or not at all.
    """

    private_too: ClassVar[bool]

    def __init__(
        self, *values: Any, name_seconds: float, read_seconds: float, until: float, **named: Any
    ) -> None:
        super().__init__(*values, **named)
        self.name_seconds = name_seconds
        self.read_seconds = read_seconds
        self.until = until

    def connect(self) -> None:
        """Connect; from then on the time is that for reading."""
        super().connect()
        self.timeout = self.read_seconds

    def _new_conn(self) -> socket.socket:
        found = _NAMES.look_up(self._dns_host, self.port, self._left(self.name_seconds))
        connect_seconds = self._left(float(self.timeout or 0))
        until = time.monotonic() + connect_seconds
        trouble: OSError | None = None
        for family, kind, protocol, _, where in found[:_MOST_ADDRESSES]:
            check_address(str(where[0]), self.host, private_too=self.private_too)
            dialled = socket.socket(family, kind, protocol)
            try:
                dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                dialled.settimeout(max(0.01, until - time.monotonic()))
                dialled.connect(where)
                dialled.settimeout(connect_seconds)  # of what TLS needs to begin
            except OSError as error:
                dialled.close()
                trouble = error
            else:
                return dialled
        raise trouble or OSError("the name has no address")

    def _left(self, seconds: float) -> float:
        """Return so many seconds, or what is left until the end."""
        return min(seconds, max(0.01, self.until - time.monotonic()))


class _Plain(_Dialling):
    private_too = True


class _PrivateToo(_Dialling, HTTPSConnection):
    private_too = True


class _Public(_Dialling, HTTPSConnection):
    private_too = False


def bare(url: str) -> str:
    """Return an address as messages name it: without its query, which may hold what nobody should read."""
    return url.partition("?")[0]


def check_address(number: str, host: str, *, private_too: bool) -> None:
    """Raise `Unreachable` for an address that a platform on the internet cannot have.

    Those where clouds keep their secrets are refused in a private network, too.
    """
    address = ipaddress.ip_address(number.partition("%")[0])
    for meant in (address, *_inside(address)):
        is_fine = not meant.is_link_local if private_too else _public(meant)
        if not is_fine or meant in _SECRETS:
            raise Unreachable(
                f"{host} is at {address}, an address inside a private network; a platform's services must be"
                f" at a public one. {_ALLOW}"
            )


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not address.is_multicast and not site_local


def _inside(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 one stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address in _TRANSLATED:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    for meant in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if meant is not None:
            yield meant


@contextmanager
def _bounded(connection: HTTPConnection, until: float, named: str) -> Iterator[None]:
    """Connect, and cut the connection when the time is over; what was read until then is no answer."""
    if time.monotonic() >= until:
        raise Unreachable(f"{named} was not asked: the time for this request was over.")
    connection.connect()
    wire = connection.sock
    over = threading.Event()

    def cut() -> None:
        over.set()
        with suppress(OSError):
            socket.socket.shutdown(wire, socket.SHUT_RDWR)  # TLS's own would let go of what is being read

    watch = threading.Timer(max(0.0, until - time.monotonic()), cut)
    watch.daemon = True
    watch.start()
    try:
        yield
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        if not over.is_set():
            raise
        raise Unreachable(f"{named} took too long to answer.") from error
    finally:
        watch.cancel()
    if over.is_set():
        raise Unreachable(f"{named} took too long to answer.")


def _content(answer: HTTPResponse, most: int, named: str) -> bytes:
    content = answer.read(most + 1, decode_content=True)
    if len(content) > most:
        raise Unreachable(f"{named} answered with more than {most:,} bytes.")
    return content


def _parsed(url: str, *, plain_too: bool) -> Url:
    """Return the parts of an address that may be asked."""
    try:
        address = parse_url(url)
    except LocationParseError:
        raise Unreachable(f"{url[:200]!r} is no address.") from None
    schemes = ("https", "http") if plain_too else ("https",)
    if address.scheme not in schemes or not address.host:
        asked_if = f" {_ALLOW}" if address.scheme == "http" and address.host else ""
        raise Unreachable(
            f"{url[:200]!r} is no address that is asked: it must begin with https://.{asked_if}"
        )
    if address.auth:
        raise Unreachable(f"{url[:200]!r} carries a name or a password; a platform's address has none.")
    return address


def _joined(url: str, location: str) -> str:
    try:
        joined = urljoin(url, location)
        parse_url(joined)
    except ValueError:
        raise Unreachable(f"{bare(url)} redirects to what is no address.") from None
    return joined


def _origin(url: str) -> tuple[str | None, str | None, int | None]:
    address = parse_url(url)
    return address.scheme, address.host, address.port


def _said(error: Exception) -> str:
    """Return what an error says, in one line."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, ssl.SSLError):
        return f"its certificate or its TLS is not accepted ({error.reason or error})"
    if isinstance(error, socket.gaierror):
        return "its name could not be looked up"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]  # without its number
    return " ".join(str(error).split())[:300] or type(error).__name__
