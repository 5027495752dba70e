"""A table as an LMS or a spreadsheet wrote it, whose cells can be replaced and all else stays, byte for byte.

Comma, semicolon or tab; UTF-8 with or without a mark, UTF-16, or Windows' western encoding; quoted or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

_SEPARATORS = ",;\t"
MOST_BYTES = 256 * 2**20


class SheetError(ValueError):
    """A file is no such table. The message continues a sentence that begins with the file's name."""


@dataclass(frozen=True)
class Cell:
    """One cell: what it says, and where it stands in the text, its quotes included."""

    text: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True)
class Row:
    """One row. `line` is where it begins in the file, from 1."""

    line: int
    cells: tuple[Cell, ...]
    end: int  # where the next cell would stand

    def text(self, column: int | None) -> str:
        """Return what stands in a column, without the blanks around it; "" where the row is shorter."""
        if column is None or column >= len(self.cells):
            return ""
        return self.cells[column].text.strip()

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return not any(cell.text.strip() for cell in self.cells)


@dataclass(frozen=True)
class Sheet:
    """A table as it lies on the disk."""

    text: str
    encoding: str
    separator: str
    rows: tuple[Row, ...]

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The names in the first row, without the blanks around them."""
        return tuple(cell.text.strip().lstrip("\ufeff").strip() for cell in self.rows[0].cells)

    def replaced(self, values: Mapping[tuple[int, int], str]) -> bytes:
        """Return the file with these cells, by row and column from 0, in place of what stands there.

        A cell keeps its quotes, and gets some only where it needs them.
        """
        parts: list[str] = []
        at = 0
        last: dict[int, int] = {}  # the last column that a row has by now, where it was too short
        for (number, column), value in sorted(values.items()):
            row = self.rows[number]
            if column < len(row.cells):
                cell = row.cells[column]
                start, end, lead, quoted = cell.start, cell.end, "", cell.quoted
            else:
                start = end = row.end
                lead = self.separator * (column - last.get(number, len(row.cells) - 1))
                quoted = False
                last[number] = column
            parts += [self.text[at:start], lead, self._written(value, quoted=quoted)]
            at = end
        parts.append(self.text[at:])
        return "".join(parts).encode(self.encoding)

    def _written(self, value: str, *, quoted: bool) -> str:
        if quoted or any(mark in value for mark in (self.separator, '"', "\r", "\n")):
            return '"' + value.replace('"', '""') + '"'
        return value


def read_sheet(data: bytes, *, again: str = "download it again") -> Sheet:
    """Read a table. Raises SheetError, which says in the words `again` how to come by a whole one."""
    if len(data) > MOST_BYTES:
        raise SheetError(
            f"has {len(data) // 2**20} MB; a table has at most {MOST_BYTES // 2**20} MB; {again}."
        )
    if data.startswith(b"PK\x03\x04") or data.startswith(b"\xd0\xcf\x11\xe0"):
        raise SheetError(f"is a spreadsheet's own file, not CSV; save it as CSV, or {again}.")
    text, encoding = _decoded(data)
    separator = _separator(text)
    rows = _rows(text, separator, again)
    if not rows:
        raise SheetError(f"is empty; {again}.")
    return Sheet(text, encoding, separator, tuple(rows))


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text, and an encoding that gives back exactly these bytes."""
    guesses = ["utf-8", "cp1252", "latin-1"]
    even, odd = data[0:2000:2].count(0), data[1:2000:2].count(0)
    if data.startswith(b"\xff\xfe") or (odd > 4 * even and odd > len(data[:2000]) // 5):
        guesses.insert(0, "utf-16-le")
    elif data.startswith(b"\xfe\xff") or (even > 4 * odd and even > len(data[:2000]) // 5):
        guesses.insert(0, "utf-16-be")
    for encoding in guesses:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding, "surrogatepass") == data:
            return text, encoding
    raise SheetError("is in no encoding that is known here; save it as CSV (UTF-8).")


def _separator(text: str) -> str:
    """Return what parts the cells of the first line, outside quotes."""
    bare = re.sub(r'"(?:[^"]|"")*"', "", text[:100_000])
    first = next((line for line in re.split(r"[\r\n]+", bare) if line.strip("\ufeff ")), "")
    return max(_SEPARATORS, key=first.count)


def _rows(text: str, separator: str, again: str) -> list[Row]:
    """Cut a text into rows and cells. Every character is in a cell, a separator, a line end or the mark."""
    plain = re.compile(rf"[^{re.escape(separator)}\r\n]*")
    quoted = re.compile(r'[ ]*"((?:[^"]|"")*+)("|\Z)')
    at = 1 if text.startswith("\ufeff") else 0
    line = 1
    rows: list[Row] = []
    cells: list[Cell] = []
    begun = line
    while at <= len(text):
        if at == len(text) and not cells:
            break
        match = quoted.match(text, at)
        if match:
            if not match[2]:
                raise SheetError(f'line {line}: a quote (") is opened and never closed; {again}.')
            rest = plain.match(text, match.end())
            assert rest is not None
            cells.append(Cell(match[1].replace('""', '"') + rest[0], at, rest.end(), quoted=True))
            breaks = match[0].count("\n") or match[0].count("\r")
            line += breaks
            at = rest.end()
        else:
            found = plain.match(text, at)
            assert found is not None
            cells.append(Cell(found[0], at, found.end(), quoted=False))
            at = found.end()
        if text.startswith(separator, at):
            at += 1
            continue
        if len(cells) > 1 or cells[0].end > cells[0].start:
            rows.append(Row(begun, tuple(cells), at))
        cells = []
        at += 2 if text.startswith("\r\n", at) else 1
        line += 1
        begun = line
    return rows
