"""Uploads are bounded while they come: what is too large is not even kept until the end."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, StopUpload

MOST_BYTES = 32 * 2**20  # of one upload; what is unpacked from it is bounded by graders.reading


class Bounded(FileUploadHandler):
    """Stops an upload that is too large; `request.too_large` says so to the view."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 - Django's name
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        if content_length > MOST_BYTES:
            self.request.too_large = True  # type: ignore[union-attr]
            raise StopUpload(connection_reset=False)
        self._left = MOST_BYTES

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self._left -= len(raw_data)
        if self._left < 0:
            self.request.too_large = True  # type: ignore[union-attr]
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
