"""Members of a JSON object that a platform wrote, read with their types and lengths. None is believed.

A member that must be there and is not, or is something else, is refused by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from attest.lti.errors import Refused
from reports.visible_text import one_line

Members = Mapping[str, Any]

LONGEST_EMAIL = 254
LONGEST_IDENTIFIER = 255  # characters: LTI 1.3 Core, section 5.3
_LONGEST_ADDRESS = 2000
_LONGEST_WORDS = 250
_VARIABLE = re.compile(r"\$[A-Za-z][\w.<>-]*")  # what a platform that does not know it leaves as it is


def section(members: Members, name: str) -> Members:
    """Return the object of this name; an empty one where there is none."""
    found = members.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Refused(name, f"{name} is {_kind(found)}, expected an object.")
    return found


def identifier(members: Members, name: str, said: str = "") -> str:
    """Return an identifier exactly as it is told; `said` is what to call it where the name is too short."""
    said = said or name
    found = members.get(name)
    if found is None or found == "":
        raise Refused(said, f"{said} is missing.")
    if not isinstance(found, str):
        raise Refused(said, f"{said} is {_kind(found)}, expected a string.")
    if len(found) > LONGEST_IDENTIFIER:
        raise Refused(said, f"{said} has {len(found):,} characters, expected at most {LONGEST_IDENTIFIER}.")
    if not found.isprintable():
        raise Refused(said, f"{said} holds characters that cannot be written: {one_line(found, 80)!r}.")
    return found


def words(members: Members, name: str, most: int = _LONGEST_WORDS) -> str:
    """Return a text for people, on one line; empty where nothing is told, or only the name of a variable."""
    found = members.get(name)
    if not isinstance(found, str) or _VARIABLE.fullmatch(found.strip()):
        return ""
    return one_line(found, most)


def strings(members: Members, name: str, most: int = 200) -> frozenset[str]:
    """Return the strings of a list that can be written; empty where there is none."""
    found = members.get(name)
    if found is None:
        return frozenset()
    if not isinstance(found, list):
        raise Refused(name, f"{name} is {_kind(found)}, expected a list.")
    return frozenset(
        one
        for one in found[:most]
        if isinstance(one, str) and len(one) <= _LONGEST_ADDRESS and one.isprintable()
    )


def said_true(members: Members, name: str) -> bool:
    """Return a truth value, which some platforms write as a string."""
    return members.get(name) in (True, "true", "True")


def address(members: Members, name: str, said: str = "") -> str | None:
    """Return an absolute http or https address, or None where none is told."""
    said = said or name
    found = members.get(name)
    if found is None or found == "":
        return None
    if not isinstance(found, str) or parsed(found) is None:
        raise Refused(said, f"{said} is {one_line(repr(found), 120)}, expected an http or https address.")
    return found


def parsed(url: str) -> SplitResult | None:
    """Return the parts of an absolute http or https address that every program reads alike, or None."""
    if len(url) > _LONGEST_ADDRESS or not url.isascii() or not url.isprintable() or set(url) & set(' \\"<>'):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        return None
    return parts


def origin(url: str) -> str:
    """Return scheme, host and port, as a browser writes them.

    Raises:
        ValueError: this is not an absolute http or https address.
    """
    parts = parsed(url)
    if parts is None:
        raise ValueError(f"{one_line(url, 120)!r} is not an absolute http or https address")
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    usual = parts.port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{host}" if usual else f"{parts.scheme}://{host}:{parts.port}"


def _kind(found: object) -> str:
    named = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return named.get(type(found), "a number" if isinstance(found, int | float) else "nothing")
