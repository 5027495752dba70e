"""Damage done to good inputs: to their bytes, their lines, and the trees that they hold.

Everything is drawn from a `random.Random`, so that a seed gives the same inputs again.
"""

from __future__ import annotations

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

Mutator = Callable[[random.Random, Sequence[bytes]], bytes]

TOKENS = (
    *(b"null", b"[[[[", b"NaN", b'"', b"\xff\xfe", b"1e999", b"-1", b"\x00", b"\n", b"\r\n", b"{}", b"\\"),
    *(
        b"\x1b[2J",
        "\u202e".encode(),
        "\u2028".encode(),
        b"\xed\xa0\x80",
        b"PK\x03\x04",
        b"%s%n",
        b"'''",
        b"$(",
    ),
    *(b"../../etc/passwd", b"::error::", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\x81\xa1", b"=1+1"),
)
LINES = (
    *(b"]", b"[limits]", b"points = -1", b"\x1b]0;title\x07", b"# " + b"x" * 5000, b"```", b"{" * 3000),
    *(b"def f(:", b"(" * 500, b"'''", b"\tx = 1", b"import os; os._exit(0)", b"x = " + b"-" * 3000 + b"1"),
    *("## 🎉\u202e".encode(), b"%%bash", b"!rm -rf /", b"%matplotlib inline", b"\x0c", b"\\", b"<script>"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 255, 2**31, 2**32 - 1, 2**63 - 1, -(2**63), 2**64 - 1, 0.5, -0.0, 1e308),
    *(
        float("nan"),
        float("inf"),
        "",
        "x",
        "\x1b[31mred\x1b[0m",
        "a\nb\r\u2028c",
        "\u202etxt.exe",
        "x" * 3000,
    ),
    *(
        "x" * 3000,
        "\0",
        "../../x",
        "::error::x",
        "<script>alert(1)</script>",
        "é" * 200,
        [],
        {},
        [[]],
        {"": None},
    ),
    *(["t", []], ["x", 0], ["x", -1], ["h", 0], ["o", 1, "T", False, ""], ["y", "float32"], ["d", ["a"], []]),
)


_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_MODES = (0, 0o100644 << 16, 0o120777 << 16, 0o40755 << 16, 0x10, 0o60600 << 16)  # a link, a folder, a device


def of_bytes(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """Cut, repeat, overwrite, insert and splice."""
    data = bytearray(rng.choice(corpus))
    for _ in range(rng.randint(1, 5)):
        place, length = rng.randint(0, len(data)), rng.choice((1, 2, 4, 8, 64, 1024))
        match rng.randint(0, 6):
            case 0:
                del data[place : place + length]
            case 1:
                data[place:place] = rng.choice(TOKENS)
            case 2:
                data[place : place + 1] = bytes([rng.randint(0, 255)])
            case 3:
                data[place:place] = data[place : place + length] * rng.randint(1, 20)
            case 4:
                data[place : place + 8] = struct.pack(
                    "<Q", rng.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1))
                )
            case 5:
                other = rng.choice(corpus)
                start = rng.randint(0, len(other))
                data[place:] = other[start:]
            case 6:
                del data[place:]
    return bytes(data)


def of_lines(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """Lines left out, doubled, swapped, taken from elsewhere, and odd ones put between."""
    lines = rng.choice(corpus).split(b"\n")
    for _ in range(rng.randint(1, 6)):
        place, other = rng.randrange(len(lines) or 1), rng.randrange(len(lines) or 1)
        match rng.randint(0, 6) if lines else 3:
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[other])
            case 2:
                lines[place], lines[other] = lines[other], lines[place]
            case 3:
                lines.insert(place, rng.choice(LINES))
            case 4:
                lines.insert(place, rng.choice(rng.choice(corpus).split(b"\n")))
            case 5:
                key, equals, value = lines[place].partition(b"=")
                lines[place] = key + equals + (_literal(rng) if equals else value)
            case 6:
                lines[place] = of_bytes(rng, [lines[place]])
    return (b"\r\n" if rng.random() < 0.1 else b"\n").join(lines)


def _literal(rng: random.Random) -> bytes:
    return b" " + json.dumps(rng.choice(ODD)).encode()


def tree(rng: random.Random, value: Any) -> Any:
    """A tree with a few of its nodes replaced, left out, doubled, wrapped or moved."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        value = _edited(rng, value, value)
    return value


def _edited(rng: random.Random, node: Any, root: Any, depth: int = 0) -> Any:
    if isinstance(node, (list, tuple)) and node and rng.random() < 0.85:
        items, place = list(node), rng.randrange(len(node))
        match rng.randint(0, 7):
            case 0:
                del items[place]
            case 1:
                items.insert(place, items[rng.randrange(len(items))])
            case _:
                items[place] = _edited(rng, items[place], root, depth + 1)
        return items
    if isinstance(node, dict) and node and rng.random() < 0.9:
        items, key = dict(node), rng.choice(list(node))
        match rng.randint(0, 9):
            case 0:
                del items[key]
            case 1:
                items[rng.choice(("", "x", "\x1b[2J", "extra\nline", "type", "id"))] = items[key]
            case _:
                items[key] = _edited(rng, items[key], root, depth + 1)
        return items
    if rng.random() < 0.15:
        return _nested(rng, node)
    if rng.random() < 0.15:
        return _anywhere(rng, root)
    return rng.choice(ODD)


def _nested(rng: random.Random, node: Any) -> Any:
    for _ in range(rng.choice((2, 20, 40, 200))):
        node = ["t", [node]] if rng.random() < 0.8 else {"a": node}
    return node


def _anywhere(rng: random.Random, node: Any) -> Any:
    while isinstance(node, (list, dict)) and node and rng.random() < 0.7:
        node = rng.choice(list(node.values()) if isinstance(node, dict) else node)
    return node


def of_json(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A JSON document with a damaged tree, or with damaged bytes."""
    if rng.random() < 0.3:
        return of_bytes(rng, corpus)
    return json.dumps(tree(rng, json.loads(rng.choice(corpus))), ensure_ascii=rng.random() < 0.5).encode(
        "utf-8", "replace"
    )


def of_msgpack(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A message with a damaged tree, or with damaged bytes."""
    return of_bytes(rng, corpus) if rng.random() < 0.25 else packed(rng, rng.choice(corpus))


def packed(rng: random.Random, message: bytes) -> bytes:
    """One message with a damaged tree."""
    return msgspec.msgpack.encode(tree(rng, msgspec.msgpack.decode(message)))


def of_zip(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A zip with odd entries, written well; or with damaged bytes."""
    if rng.random() < 0.5:
        return of_bytes(rng, corpus)
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(rng.choice(corpus))) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(buffer, "w") as made:
        for number, (info, data) in enumerate(rng.choices(entries, k=rng.randint(0, 8)) if entries else ()):
            odd = zipfile.ZipInfo(str(number))
            name = info.filename if rng.random() < 0.4 else _name(rng, info.filename)
            odd.filename = name.replace("\0", "_")[:60_000] or "x"
            odd.compress_type = rng.choice(
                (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            odd.external_attr = rng.choice(
                (0, 0o100644 << 16, 0o120777 << 16, 0o40755 << 16, 0x10, 0o60600 << 16)
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # two entries of one name are wanted
                made.writestr(odd, of_bytes(rng, [data]) if rng.random() < 0.5 else data)
        made.comment = rng.choice((b"", b"PK\x05\x06", b"x" * 300))
    data = buffer.getvalue()
    return of_bytes(rng, [data]) if rng.random() < 0.2 else data


def _name(rng: random.Random, name: str) -> str:
    odd = (
        f"../{name}",
        f"/{name}",
        f"C:\\{name}",
        f"a\n{name}",
        f"\u202e{name}",
        f"{name}/",
        "x" * 400 + name,
    )
    return rng.choice(
        (*odd, name.upper(), f"__MACOSX/._{name}", "a/" * 60 + name, f"\x1b[2J{name}", "é/" + name, ".")
    )
