"""A page as its tags and its text, read by a parser that is not the one that wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "img", "input", "br", "rect", "line"}


@dataclass
class Element:
    """One start tag, and the text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page:
    """Every element of a page in order."""

    elements: list[Element] = field(default_factory=list)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Return the elements with this tag and these attributes (`class_` for `class`)."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            e
            for e in self.elements
            if e.tag == tag and all(e.attributes.get(n) == v for n, v in wanted.items())
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        """Return the only such element."""
        (element,) = self.all(tag, **attributes)
        return element

    def since(self, tag: str, **attributes: str) -> Page:
        """Return the page from the only such element on."""
        start = self.elements.index(self.one(tag, **attributes))
        return Page(self.elements[start:])

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...], str]]:
        """Tags, names of attributes and classes in order, but for the plain `code` that our ticks make."""
        return [
            (e.tag, tuple(e.attributes), e.attributes.get("class", ""))
            for e in self.elements
            if e.tag != "code" or e.attributes
        ]

    @property
    def text(self) -> str:
        """All text of the body, blanks folded."""
        return " ".join(self.one("body").text.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.page.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1].tag != tag:
            raise AssertionError(f"</{tag}> closes {[e.tag for e in self.open]}")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")


def read_page(html: str) -> Page:
    """Parse a page. Fails where tags do not nest."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if reader.open:
        raise AssertionError(f"never closed: {[e.tag for e in reader.open]}")
    return reader.page
