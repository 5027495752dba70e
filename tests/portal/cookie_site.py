"""A site that sets two cookies in a frame, and says which of them came back: what a browser really does."""

from __future__ import annotations

import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

_FRAME = '<!doctype html><title>x</title><iframe src="{frame}" width="500" height="300"></iframe>'
_SET = '<!doctype html><title>x</title><a href="/again">again</a>'
_AGAIN = '<!doctype html><title>x</title><p id="again">again</p>'
_COOKIES = (
    "none=1; Path=/; Secure; HttpOnly; SameSite=None",
    "apart=1; Path=/; Secure; HttpOnly; SameSite=None; Partitioned",
)


class CookieSite:
    """It serves until the block ends; `seen` are the cookies that came back."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.port: int = self._server.server_port

    def __enter__(self) -> CookieSite:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(site: CookieSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            body = _AGAIN
            if asked.path == "/outer":
                body = _FRAME.format(frame=parse_qs(asked.query)["frame"][0])
            elif asked.path == "/set":
                body = _SET
                for cookie in _COOKIES:
                    self.send_header("Set-Cookie", cookie)
            elif asked.path == "/again":
                site.seen |= set(SimpleCookie(self.headers.get("Cookie", "")))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    return Handler
