"""What travels through the broker is sealed: with the key of ATTEST_CLUSTER_KEY nobody else can write it.

A seal covers what a letter is for, so that one cannot be passed off as another. Without a key it is a mere
checksum: then whoever can write to the broker can have a worker run tests of theirs.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import zlib

KEY_VARIABLE = "ATTEST_CLUSTER_KEY"
SHORTEST_KEY = 16  # characters
MOST_BYTES = 512 * 2**20  # of what is unpacked
_WORTH_PACKING = 1024
_PLAIN, _PACKED = b"-", b"z"
_SEAL = hashlib.sha256().digest_size


class ClusterError(RuntimeError):
    """The broker, the store or the key cannot be used. One clear sentence with the next step."""


class UnknownSeal(ValueError):
    """A letter that was not sealed with this key."""


def read_key() -> bytes:
    """Return the key of the environment, b"" for none. Raises ClusterError where it is too short."""
    key = os.environ.get(KEY_VARIABLE, "")
    if key and len(key) < SHORTEST_KEY:
        raise ClusterError(
            f"{KEY_VARIABLE} has {len(key)} characters; at least {SHORTEST_KEY} are expected, the same "
            "for the command and for every worker. Make one: openssl rand -hex 32"
        )
    return key.encode("utf-8", "surrogateescape")


def seal(key: bytes, purpose: str, body: bytes) -> bytes:
    """Return `body` packed and sealed for one purpose."""
    packed = _PACKED + zlib.compress(body, 1) if len(body) > _WORTH_PACKING else _PLAIN + body
    return _mac(key, purpose, packed) + packed


def unseal(key: bytes, purpose: str, sealed: bytes) -> bytes:
    """Return what was sealed for this purpose. Raises UnknownSeal."""
    seal, packed = sealed[:_SEAL], sealed[_SEAL:]
    if not hmac.compare_digest(seal, _mac(key, purpose, packed)):
        raise UnknownSeal
    if packed[:1] == _PLAIN:
        return packed[1:]
    unpacking = zlib.decompressobj()
    try:
        body = unpacking.decompress(packed[1:], MOST_BYTES)
    except zlib.error:
        raise UnknownSeal from None
    if not unpacking.eof:
        raise UnknownSeal
    return body


def _mac(key: bytes, purpose: str, packed: bytes) -> bytes:
    name = purpose.encode()
    return hmac.digest(key, b"%d %s%s" % (len(name), name, packed), "sha256")
