"""Markup that an author or we wrote: hints in inline Markdown, messages with ticks, pictures in SVG.

Both are checked all the same: a page never holds markup that was not looked at here.
"""

from __future__ import annotations

import base64
import re
from functools import cache, lru_cache
from xml.etree import ElementTree

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from reports.visible_text import visible_text

_MAX_SVG = 400_000
_MAX_HINT = 4_000
_SVG = "{http://www.w3.org/2000/svg}"
_NEVER_DRAWN = {"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "set"}
_OUTSIDE = re.compile(r"url\(\s*['\"]?(?!#)|@import|expression\(|javascript:", re.IGNORECASE)


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["image", "autolink", "html_inline"])


def hint_tokens(hint: str) -> list[Token]:
    """Return a hint's inline Markdown as tokens."""
    return _inline().parseInline(visible_text(hint[:_MAX_HINT]))[0].children or []


@lru_cache(maxsize=1024)
def hint_html(hint: str) -> Markup:
    """Return a hint's inline Markdown (code, emphasis, https links) as safe HTML."""
    rendered = _inline().renderInline(visible_text(hint[:_MAX_HINT]))
    clean = nh3.clean(
        rendered,
        tags={"code", "em", "strong", "a", "br"},
        attributes={"a": {"href"}},
        url_schemes={"https"},
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704 (nh3 has just cleaned it)


def ticks_html(text: str) -> Markup:
    """Return plain text as HTML, with `names in ticks` as code: our own messages quote names so.

    Everything is escaped, so all that a stranger's ticks can do is to choose another typeface.
    """
    pieces = visible_text(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(visible_text(text))
    parts = [
        escape(p) if n % 2 == 0 else Markup("<code>{}</code>").format(p) if p else "``"
        for n, p in enumerate(pieces)
    ]
    return Markup("").join(parts)


@lru_cache(maxsize=256)
def picture_source(svg: str) -> str | None:
    """Return an SVG as a data URI for an `img`, or None where it is not a drawing that stands alone.

    An `img` runs no script and loads nothing; that the drawing asks for neither is checked as well.
    """
    if len(svg) > _MAX_SVG or "<!" in svg.replace("<!--", ""):
        return None
    try:
        root = ElementTree.fromstring(svg)  # noqa: S314 (no declarations, so no entities to expand)
    except (ElementTree.ParseError, ValueError):
        return None
    if root.tag != f"{_SVG}svg" or not all(_only_draws(element) for element in root.iter()):
        return None
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return f"data:image/svg+xml;base64,{data}"


def _only_draws(element: ElementTree.Element) -> bool:
    """Whether an element of an SVG has no behaviour and refers to nothing outside."""
    if not isinstance(element.tag, str) or _bare(element.tag) in _NEVER_DRAWN:
        return False
    if _bare(element.tag) == "style" and _OUTSIDE.search(element.text or ""):
        return False
    return all(
        not _bare(name).startswith("on")
        and not _OUTSIDE.search(value)
        and (_bare(name) not in {"href", "src"} or value.startswith(("#", "data:image/png;base64,")))
        for name, value in element.attrib.items()
    )


def _bare(name: str) -> str:
    """Return a name of ElementTree's without its namespace."""
    return name.rpartition("}")[2].lower()
