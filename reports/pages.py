"""The templates, and the policy under which their pages run: no network, no script but the page's own."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from reports.amounts import points_text, seconds_text
from reports.authors_markup import hint_html, ticks_html
from reports.drawings import drawing
from reports.visible_text import visible

_FOLDER = Path(__file__).parent / "templates"


@cache
def template(name: str) -> Template:
    """Return a compiled template; it is compiled once per process."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.filters |= {
        "hint": hint_html,
        "ticks": ticks_html,
        "drawing": drawing,
        "points": points_text,
        "seconds": seconds_text,
    }
    return environment


@cache
def asset(*names: str) -> Markup:
    """Return our own style sheets or scripts, one after the other, as they stand inside their element."""
    text = "".join((_FOLDER / name).read_text("utf-8") for name in names)
    return Markup(text)  # noqa: S704 (files of this package)


def policy(style: Markup, script: Markup | None = None) -> str:
    """Return the Content-Security-Policy of a page with this style and script and nothing else."""
    parts = ["default-src 'none'", f"style-src '{_digest(style)}'"]
    if script is not None:
        parts.append(f"script-src '{_digest(script)}'")
    parts += ["img-src data:", "base-uri 'none'", "form-action 'none'"]
    return "; ".join(parts)


@cache
def _digest(text: Markup) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
