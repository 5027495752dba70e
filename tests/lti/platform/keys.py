"""The keys of a platform: a set that can be rotated, and tokens signed by it or by somebody else."""

from __future__ import annotations

import base64
import json
import urllib.request
from collections.abc import Mapping
from typing import Any

from joserfc import jws, jwt
from joserfc.jwk import KeySet, KeySetSerialization, RSAKey


def new_key(kid: str) -> RSAKey:
    """A key of 2048 bits that says what it is for."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


def sign(claims: Mapping[str, Any], key: RSAKey, **header: Any) -> str:
    """A token by this key; `header` replaces what stands in its header, and None takes it out."""
    told = {"alg": "RS256", "typ": "JWT", "kid": key.kid, **header}
    return jwt.encode({name: value for name, value in told.items() if value is not None}, dict(claims), key)


def unsigned(claims: Mapping[str, Any], **header: Any) -> str:
    """A token with `alg: none`, which no library makes."""
    parts = [{"alg": "none", "typ": "JWT", **header}, dict(claims)]
    words = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*words, ""])


class Keys:
    """What a platform signs with: the newest key, while older ones stay published."""

    def __init__(self) -> None:
        self._made = 0
        self.all: list[RSAKey] = []
        self.rotate()

    @property
    def signing(self) -> RSAKey:
        return self.all[-1]

    def rotate(self, *, keep: bool = True) -> None:
        """Sign with a new key from now on; without `keep` the old ones are gone."""
        self._made += 1
        self.all = [*(self.all if keep else []), new_key(f"platform-{self._made}")]

    def published(self) -> dict[str, Any]:
        return {"keys": [key.as_dict(private=False) for key in self.all]}


def fetch(url: str) -> dict[str, Any]:
    """What an address answers, as JSON."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        told: dict[str, Any] = json.load(answer)
        return told


def read(token: str, keys: str | dict[str, Any]) -> dict[str, Any]:
    """The claims of a token that one of these keys has signed; ValueError (or joserfc's own) if none has."""
    told: KeySetSerialization = fetch(keys) if isinstance(keys, str) else keys  # type: ignore[assignment]
    return jwt.decode(token, KeySet.import_key_set(told), algorithms=["RS256"]).claims


def unverified(token: str) -> dict[str, Any]:
    """What a token says, whoever has signed it; ValueError (or joserfc's own) if it is none."""
    claims: Any = json.loads(jws.extract_compact(token.encode()).payload)
    if not isinstance(claims, dict):
        raise ValueError("a token whose claims are no object")
    return claims
