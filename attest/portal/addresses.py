"""The portal's own address, as people and other programs have to write it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def own_address(request: HttpRequest, path: str = "") -> str:
    """Return where `path` is, or the portal itself, without a slash at the end.

    Where the portal's own address is known it is taken from there: a proxy may name another in the request,
    or leave out that people come by https.
    """
    own: str = settings.CONFIGURATION.url
    return (
        f"{own}{path}" if own else request.build_absolute_uri(path or "/").removesuffix("" if path else "/")
    )
