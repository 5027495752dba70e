"""The portal's own addresses: as others have to write one, and which of them a request may name."""

from __future__ import annotations

import re

from django.conf import settings
from django.http import HttpRequest

MOST_CHARACTERS = 2000
# Browsers drop tabs and line breaks from an address and take \ for /, so what may follow is said, and not
# what may not. After one slash: two would begin a host.
_PATH = re.compile(r"/([^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


def own_address(request: HttpRequest, path: str = "") -> str:
    """Return where `path` is, or the portal itself, without a slash at the end.

    Where the portal's own address is known it is taken from there: a proxy may name another in the request,
    or leave out that people come by https.
    """
    own: str = settings.CONFIGURATION.url or request.build_absolute_uri("/").removesuffix("/")
    return f"{own}{path}"


def from_own_page(request: HttpRequest) -> bool:
    """Whether a form came from a page of ours, as the browser says: no other site can have sent it."""
    return request.method == "POST" and request.headers.get("Origin") == own_address(request)


def own_path(wanted: str, otherwise: str) -> str:
    """Return the path that a request wants to be sent to if it can only lead here, else the other one."""
    fits = len(wanted) <= MOST_CHARACTERS and _PATH.fullmatch(wanted)
    return wanted if fits else otherwise
