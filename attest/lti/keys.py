"""Our own keys: made, published, put to use, retired; and what is signed with them.

A platform may keep our published keys for hours. So a new key is published a day before it signs, and
one that signs no more stays published until nothing that it signed is still of use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

ALGORITHM = "RS256"  # the one that every platform must know: Security Framework 1.0, section 5.1.3
_BITS = 2048
_HOUR = 3600.0
_PUBLISHED_BEFORE = 24 * _HOUR
_PUBLISHED_AFTER = 7 * 24 * _HOUR
_LIFE = 90 * 24 * _HOUR


@dataclass(frozen=True)
class OwnKey:
    """One key pair of ours. Times are seconds since the epoch."""

    kid: str
    private_pem: str
    made_at: float
    retired_at: float | None = None  # since when it signs no more

    def __repr__(self) -> str:
        """Return the key's name alone: a private key has no place in a log."""
        return f"OwnKey({self.kid!r})"


def new_key(now: float) -> OwnKey:
    """Make an RSA key; it is named by its thumbprint (RFC 7638)."""
    key = RSAKey.generate_key(_BITS)
    return OwnKey(key.thumbprint(), key.as_pem(private=True).decode("ascii"), now)


def public_jwks(keys: Iterable[OwnKey]) -> dict[str, Any]:
    """Return the document that platforms read: the public half of every key."""
    published = []
    for key in keys:
        public = _loaded(key.private_pem).as_dict(private=False)
        published.append({**public, "kid": key.kid, "use": "sig", "alg": ALGORITHM})
    return {"keys": published}


def signing_key(keys: Iterable[OwnKey], now: float) -> OwnKey:
    """Return the newest key that has been published for a day; where none has, the oldest.

    Raises:
        LookupError: there is no key that may sign.
    """
    usable = sorted((key for key in keys if key.retired_at is None), key=lambda key: key.made_at)
    if not usable:
        raise LookupError("no key to sign with: make one with new_key")
    known = [key for key in usable if key.made_at <= now - _PUBLISHED_BEFORE]
    return known[-1] if known else usable[0]


def rotated(keys: Iterable[OwnKey], now: float) -> list[OwnKey]:
    """Return the keys as they should be now: a new one in time, older ones retired, and later left out."""
    kept = [key for key in keys if key.retired_at is None or key.retired_at > now - _PUBLISHED_AFTER]
    live = [key for key in kept if key.retired_at is None]
    if not live or max(key.made_at for key in live) <= now - _LIFE:
        made = new_key(now)
        kept, live = [*kept, made], [*live, made]
    signs = signing_key(live, now)
    return [
        replace(key, retired_at=now) if key.retired_at is None and key.made_at < signs.made_at else key
        for key in kept
    ]


def sign(key: OwnKey, claims: Mapping[str, Any]) -> str:
    """Return the claims as a signed JWT."""
    header = {"alg": ALGORITHM, "kid": key.kid}
    return jwt.encode(header, dict(claims), _loaded(key.private_pem), algorithms=[ALGORITHM])


@lru_cache(maxsize=8)
def _loaded(private_pem: str) -> RSAKey:
    return RSAKey.import_key(private_pem)
