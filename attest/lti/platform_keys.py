"""The public keys of platforms: read when they are needed, kept for an hour, bounded in size and number.

A key that is not among them is looked for again, but not at every launch: a stranger who invents names of
keys makes us ask a platform once in ten seconds, not more.
"""

from __future__ import annotations

import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from attest.lti.errors import Refused, Unreachable
from attest.lti.keys import ALGORITHM
from attest.lti.registrations import Registration
from attest.lti.web import Web
from reports.visible_text import one_line

_FRESH_SECONDS = 3600.0
_AGAIN_SECONDS = 10.0
_STILL_SECONDS = 6 * 3600.0  # as long as keys count while the platform does not answer
_MOST_BYTES = 1 << 20  # some platforms' documents exceed 64 KB
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
        return document.key(kid, self._web, self._clock())


class _Document:
    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._keys: dict[str, RSAKey] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._trouble = ""

    def key(self, kid: str, web: Web, now: float) -> RSAKey:
        with self._lock:
            if kid not in self._keys or self._age(now) > _FRESH_SECONDS:
                self._read(web, now)
            if self._age(now) > _STILL_SECONDS:
                raise Unreachable(self._trouble)
            if kid in self._keys:
                return self._keys[kid]
            if self._trouble:
                raise Unreachable(self._trouble)
            known = ", ".join(one_line(name, 40) for name in list(self._keys)[:5]) or "none"
            raise Refused(
                "kid", f"{self._url} has no key {one_line(kid, 80)!r} for {ALGORITHM}; it has: {known}."
            )

    def _age(self, now: float) -> float:
        return float("inf") if self._read_at is None else now - self._read_at

    def _read(self, web: Web, now: float) -> None:
        if self._tried_at is not None and now - self._tried_at < _AGAIN_SECONDS:
            return
        self._tried_at = now
        try:
            self._keys = fetch(web, self._url)
        except Unreachable as error:
            self._trouble = str(error)
        else:
            self._read_at = now
            self._trouble = ""


def fetch(web: Web, url: str) -> dict[str, RSAKey]:
    """Return the keys that a document holds for us, by name; those of other kinds are passed over.

    Raises:
        Unreachable: there is no such document.
    """
    reply = web.request("GET", url, headers={"Accept": "application/json"}, most_bytes=_MOST_BYTES)
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
        if _bits(modulus) not in _BITS or _bits(exponent) > 64:
            return None
        return RSAKey.import_key({"kty": "RSA", "n": modulus, "e": exponent})
    except (JoseError, ValueError):
        return None


def _text(entry: dict[str, Any], name: str) -> str:
    found = entry.get(name)
    return found if isinstance(found, str) else ""


def _bits(number: str) -> int:
    return int.from_bytes(urlsafe_b64decode(number + "=" * (-len(number) % 4)), "big").bit_length()
