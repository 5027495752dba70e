"""Our own style sheets and scripts, served from memory under names that change with their contents."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse

import reports
from attest.portal.permissions import everybody

_FOLDER = Path(__file__).parent / "static"
_OF_REPORTS = Path(reports.__file__).parent / "templates"
_SHARED = frozenset({"class.css"})  # what parts of pages need that the reports' templates make
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@cache
def content(name: str) -> bytes:
    """Return an asset. `portal.css` begins with the colours that reports have too."""
    path = _OF_REPORTS / name if name in _SHARED else _FOLDER / name
    if path.parent not in (_FOLDER, _OF_REPORTS) or path.suffix not in _TYPES or not path.is_file():
        raise Http404
    data = path.read_bytes()
    if name == "portal.css":
        data = (_OF_REPORTS / "colours.css").read_bytes() + data
    return data


@cache
def asset_url(name: str) -> str:
    """Return where an asset is, whole and as it is now."""
    return f"/static/{hashlib.sha256(content(name)).hexdigest()[:12]}/{name}"


@everybody
def asset(_request: HttpRequest, digest: str, name: str) -> HttpResponse:
    """Serve one; whoever has it need not ask again."""
    if asset_url(name) != f"/static/{digest}/{name}":
        raise Http404
    return HttpResponse(
        content(name),
        content_type=_TYPES[Path(name).suffix],
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )
