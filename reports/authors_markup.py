"""Markup that an author or we wrote: hints in inline Markdown, and messages with ticks.

Both are checked all the same: a page never holds markup that was not looked at here.
"""

from __future__ import annotations

from functools import cache, lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from reports.visible_text import visible_text

_MAX_HINT = 4_000


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
