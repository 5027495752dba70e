"""What a student typed into an LMS's editor, as the text that it shows: HTML in, plain text out.

Time grows as the length of the input, whatever it holds.
"""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"(<[^<>]{0,4000}>)")
_NAME = re.compile(r"</?\s*([A-Za-z][A-Za-z0-9]*)")
_NUMBER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{8,});?")  # of no character; int() refuses long ones
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"})
_UNSEEN = frozenset({"script", "style", "head", "title"})


def text_of_html(source: str) -> str:
    """Return what an HTML text shows, its lines kept and everything else of its markup dropped."""
    parts: list[str] = []
    unseen = preformatted = 0
    for number, piece in enumerate(_TAG.split(source)):
        if number % 2 == 0:
            text = html.unescape(_NUMBER.sub("\ufffd", piece)).replace("\xa0", " ").replace("\r\n", "\n")
            if not unseen:
                parts.append(text if preformatted else re.sub(r"[ \t\n\r\f]+", " ", text))
            continue
        found = _NAME.match(piece)
        name = found[1].lower() if found else ""
        step = -1 if piece.startswith("</") else 1
        if name in _UNSEEN:
            unseen = max(0, unseen + step)
        elif name == "pre":
            preformatted = max(0, preformatted + step)
        if name in _BREAKS:
            parts.append("\n")
    lines = [line.rstrip() for line in "".join(parts).split("\n")]
    kept = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    return (
        "\n".join(line[1:] if line.startswith(" ") and line[1:2] != " " else line for line in kept).strip(
            "\n"
        )
        + "\n"
    )
