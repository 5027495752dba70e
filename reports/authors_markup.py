"""Markup that an author or we wrote: handouts in Markdown, hints in inline Markdown, messages with ticks.

All are checked all the same: a page never holds markup that was not looked at here.
"""

from __future__ import annotations

from functools import cache, lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from reports.visible_text import visible_text

_MAX_HINT = 4_000
_MAX_HANDOUT = 400_000
_BLOCKS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "br", "hr"),
    *("code", "em", "strong", "a", "table", "thead", "tbody", "tr", "th", "td"),
}


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


@cache
def _blocks() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "autolink"])


def handout_html(text: str, *, top: int = 1) -> Markup:
    """Return a handout's Markdown as safe HTML, its highest heading an <h`top`>; only https links lead out.

    Pictures and links to files are left out: what is shown has no folder beside it.
    """
    tokens = _blocks().parse(visible_text(text[:_MAX_HANDOUT]))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + top - 1)}"
    rendered = _blocks().renderer.render(tokens, _blocks().options, {})
    clean = nh3.clean(
        rendered,
        tags=_BLOCKS,
        attributes={"a": {"href"}, "ol": {"start"}},
        set_tag_attribute_values={"pre": {"tabindex": "0"}, "table": {"tabindex": "0"}},  # they may scroll
        url_schemes={"https"},
        link_rel="noopener noreferrer",
        attribute_filter=_leads_out,
    )
    return Markup(clean)  # noqa: S704 (nh3 has just cleaned it)


def _leads_out(_tag: str, name: str, value: str) -> str | None:
    return value if name != "href" or value.startswith("https://") else None


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
