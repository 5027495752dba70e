"""The public keys of platforms: read when they are needed, kept for an hour, bounded in size and number.

A key that is not among them is looked for again, but not at every launch: a stranger who invents names of
keys makes us ask a platform once in ten seconds, not more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import RSAKey
from joserfc.util import base64_to_int

from attest.lti.errors import Refused, Unreachable
from attest.lti.keys import ALGORITHM
from attest.lti.registrations import Registration
from attest.lti.web import Web
from reports.visible_text import one_line

_FRESH_SECONDS = 3600.0
_AGAIN_SECONDS = 10.0
_BEHIND_SECONDS = 2.0  # that others wait for who reads, counted from when that began
_STILL_SECONDS = 6 * 3600.0  # as long as keys count while the platform does not answer
_MOST_KEYS = 200
_BITS = range(2048, 8193)  # below, a key can be broken; above, checking it is work for an attacker to give


class PlatformKeys:
    """Every platform's keys, by the address of its document. Threads may share it."""

    def __init__(self, web: Web, clock: Callable[[], float] = time.monotonic) -> None:
        self._web = web
        self._clock = clock
        self._documents: dict[str, _Document] = {}

    def key_for(self, registration: Registration, kid: str) -> RSAKey:
        """Return the platform's key of this name.

        Raises:
            Refused: the platform publishes no such key.
            Unreachable: its document cannot be had, and was not had lately.
        """
        document = self._documents.setdefault(registration.jwks_url, _Document(registration.jwks_url))
        return document.key(kid, self._web, self._clock)


@dataclass(frozen=True)
class _Known:
    """What a document held when it was read last, and what came of the last try."""

    keys: Mapping[str, RSAKey] = field(default_factory=dict)
    read_at: float = -inf
    tried_at: float = -inf
    trouble: str = ""


class _Document:
    """One thread reads it; who comes meanwhile waits a little, and no longer.

    Else a platform that hangs would keep a class's launches, and with them all that the portal does at once.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._reading = threading.Lock()
        self._began_at = -inf
        self._known = _Known()

    def key(self, kid: str, web: Web, clock: Callable[[], float]) -> RSAKey:
        now, known = clock(), self._known
        if kid not in known.keys or now - known.read_at > _FRESH_SECONDS:
            is_of_use = kid in known.keys and now - known.read_at <= _STILL_SECONDS
            known = self._read(
                web, clock, patience=0.0 if is_of_use else self._began_at + _BEHIND_SECONDS - now
            )
        if now - known.read_at > _STILL_SECONDS:
            raise Unreachable(known.trouble)
        if kid in known.keys:
            return known.keys[kid]
        if known.trouble:
            raise Unreachable(known.trouble)
        there = ", ".join(one_line(name, 40) for name in list(known.keys)[:5]) or "none"
        raise Refused(
            "kid", f"{self._url} has no key {one_line(kid, 80)!r} for {ALGORITHM}; it has: {there}."
        )

    def _read(self, web: Web, clock: Callable[[], float], *, patience: float) -> _Known:
        if not self._reading.acquire(timeout=min(max(patience, 0.0), _BEHIND_SECONDS)):
            waited = (
                f"{self._url} is being asked for its keys and has not answered yet. Try again in a minute."
            )
            return replace(self._known, trouble=self._known.trouble or waited)
        try:
            self._began_at, known = clock(), self._known
            if self._began_at - known.tried_at < _AGAIN_SECONDS:
                return known
            try:
                self._known = _Known(fetch(web, self._url), self._began_at, clock())
            except Unreachable as error:
                self._known = replace(known, tried_at=clock(), trouble=str(error))
            return self._known
        finally:
            self._reading.release()


def fetch(web: Web, url: str) -> dict[str, RSAKey]:
    """Return the keys that a document holds for us, by name; those of other kinds are passed over.

    Raises:
        Unreachable: there is no such document.
    """
    reply = web.request("GET", url, headers={"Accept": "application/json"})
    if reply.status != 200:
        raise Unreachable(f"{url} answered {reply.status}, expected 200 and the platform's public keys.")
    document = reply.json()
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise Unreachable(f'{url} is not a document of public keys: expected {{"keys": […]}}.')
    keys: dict[str, RSAKey] = {}
    for entry in entries[:_MOST_KEYS]:
        if isinstance(entry, dict) and (key := _rsa(entry)) is not None:
            keys.setdefault(entry["kid"], key)
    return keys


def _rsa(entry: dict[str, Any]) -> RSAKey | None:
    kid, modulus, exponent = (_text(entry, name) for name in ("kid", "n", "e"))
    if entry.get("kty") != "RSA" or not (kid and modulus and exponent):
        return None
    if entry.get("use", "sig") != "sig" or entry.get("alg", ALGORITHM) != ALGORITHM:
        return None
    try:
        if base64_to_int(modulus).bit_length() not in _BITS or base64_to_int(exponent).bit_length() > 64:
            return None
        return RSAKey.import_key({"kty": "RSA", "n": modulus, "e": exponent})
    except (JoseError, ValueError):
        return None


def _text(entry: dict[str, Any], name: str) -> str:
    found = entry.get(name)
    return found if isinstance(found, str) else ""
