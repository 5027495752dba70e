"""Sending what is larger than memory piece by piece, as it is made."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files make the same zip


class _Pieces:
    """What a zip is written into, and taken out of again at once: it cannot go back."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is held open."""

    def taken(self) -> bytes:
        """Return what was written since."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a zip of these files by name, one file after another."""
    out = _Pieces()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
            yield out.taken()
    yield out.taken()


def to_save_in_pieces(name: str, pieces: Iterator[bytes]) -> StreamingHttpResponse:
    """Return a file that the browser saves, sent as it is made."""
    return StreamingHttpResponse(
        _sent(pieces),
        content_type="application/zip",
        headers={"Content-Disposition": content_disposition_header(True, name) or "attachment"},
    )


async def _sent(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Have each piece made in the thread of the request; Django would hold all of a plain iterator."""
    following = sync_to_async(_following)
    while (piece := await following(pieces)) is not None:
        yield piece


def _following(pieces: Iterator[bytes]) -> bytes | None:
    return next(pieces, None)
