"""The cookie that ties a login to its launch. No other cookie of Attest goes into a foreign page's frame.

Seen in Chromium: in a frame of another site a plain cookie is not sent, and one with SameSite=None only until
third-party cookies are blocked. With Partitioned it is sent in both cases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from http.cookies import BaseCookie, Morsel
from typing import Any

SECONDS = 300

# Python knows the attribute since 3.14.
Morsel._reserved.setdefault("partitioned", "Partitioned")  # type: ignore[attr-defined]
Morsel._flags.add("partitioned")  # type: ignore[attr-defined]


def name_of(state: str) -> str:
    """Return the cookie's name. Each login has its own: a page may hold several frames.

    The prefix keeps a neighbour under the same domain from setting one (RFC 6265bis, section 4.1.3.2).
    """
    digest = hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()
    return f"__Host-attest-lti-{digest[:16]}"


def keep(cookies: BaseCookie[Any], state: str) -> None:
    """Add the cookie of a login that begins to those that a response sets."""
    _add(cookies, state, state, SECONDS)


def drop(cookies: BaseCookie[Any], state: str) -> None:
    """Take the cookie back once its launch has come."""
    _add(cookies, state, "", 0)


def kept(cookies: Mapping[str, str], state: str) -> str | None:
    """Return what the browser sent for this login."""
    return cookies.get(name_of(state))


def _add(cookies: BaseCookie[Any], state: str, value: str, seconds: int) -> None:
    attributes: dict[str, Any] = {
        "path": "/",
        "max-age": seconds,
        "secure": True,
        "httponly": True,
        "samesite": "None",
        "partitioned": True,
    }
    cookies[name_of(state)] = value
    cookies[name_of(state)].update(attributes)
