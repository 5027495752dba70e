"""A portal that really runs: `attest serve` as a process, and a browser with cookies that fills forms."""

from __future__ import annotations

import html
import http.cookiejar
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.attest.processes import descendants

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
COMMAND = (sys.executable, "-P", "-c", "from attest.main import main; main()")
# It ends with these tests, however they end: its standard input does, which no thread that ends would close.
SERVE = (
    "import os, threading; "
    "threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start(); " + COMMAND[-1]
)
SETTINGS = ("DJANGO_SETTINGS_MODULE", "ATTEST_PORTAL_DATA", "ATTEST_PORTAL_HOSTS", "ATTEST_PORTAL_SANDBOX")


@dataclass(frozen=True)
class Answer:
    """What a browser got."""

    status: int
    url: str
    text: str
    headers: Mapping[str, str]


class Portal:
    """`attest serve` with this folder of data, until `end`; at `port` where another one was before."""

    def __init__(
        self, data: Path, *options: str, env: Mapping[str, str] | None = None, port: int | None = None
    ) -> None:
        self.data = data
        self._database = env or {}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or free.getsockname()[1]
        self.log = data.parent / f"serve-{self.port}.log"
        kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*COMMAND[:-1], SERVE, "serve", "--data", str(data), "--port", str(self.port), *options],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**kept, **(env or {})},
            )
        try:
            wait_for(self.is_ready, 60, self.said)
        except BaseException:  # nobody has it yet who would end it
            self.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.said()
        try:
            return Browser(self).get("/readyz").status == 200
        except OSError:
            return False

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What is in its database."""
        return rows_in(self.data, self._database, query)

    def first_link(self) -> str:
        found = re.search(r"first administrator at http://[^/]+(\S+)", self.said())
        assert found, self.said()
        return found[1]

    def workers(self) -> list[int]:
        """The numbers of the worker processes."""
        return [
            number
            for number in descendants(self.process.pid)
            if b"attest.portal.grading.worker" in Path(f"/proc/{number}/cmdline").read_bytes()
        ]

    def kill(self) -> None:
        """As a power cut would, for this process alone."""
        self.process.kill()
        self._wait(None)

    def end(self) -> int:
        """As an operator does; return the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self._wait(60)
        except BaseException:
            self.kill()
            raise

    def _wait(self, seconds: float | None) -> int:
        status = self.process.wait(seconds)
        assert self.process.stdin is not None
        self.process.stdin.close()
        return status


def rows_in(data: Path, database: Mapping[str, str], query: str) -> list[tuple[Any, ...]]:
    """What a portal's database answers; what is changed is kept."""
    url = database.get("DATABASE_URL", "")
    if not url:
        with closing(sqlite3.connect(data / "portal.sqlite3", timeout=30)) as lite, lite:
            return lite.execute(query).fetchall()
    with psycopg.connect(url) as connection:
        found = connection.execute(query.encode())
        return found.fetchall() if found.description else []


def new_database() -> dict[str, str]:
    """Where a portal keeps its rows: in its folder, or where these tests are run on PostgreSQL, there."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return {}
    name = f"portal_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return {"DATABASE_URL": re.sub(r"/\w+\?", f"/{name}?", url)}


class Browser:
    """Keeps cookies, follows redirects, and sends a page's CSRF token with its form."""

    def __init__(self, portal: Portal) -> None:
        self.root = f"http://localhost:{portal.port}"
        self.cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> Answer:
        return self._ask(urllib.request.Request(self._url(path)))

    def post(
        self,
        path: str,
        fields: Mapping[str, str],
        files: Sequence[tuple[str, str, bytes]] = (),
        *,
        page: str | None = None,
    ) -> Answer:
        """Load `page` (the form's own), and send the form to `path`."""
        form = self.get(page or path)
        token = _TOKEN.search(form.text)
        assert token, form.text
        mark = "----a-boundary-that-nobody-writes"
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in {**fields, "csrfmiddlewaretoken": token[1]}.items()
        ]
        parts += [
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
            f"Content-Type: application/octet-stream\r\n\r\n".encode()
            + data
            + b"\r\n"
            for field, name, data in files
        ]
        body = b"".join(parts) + f"--{mark}--\r\n".encode()
        return self._ask(
            urllib.request.Request(
                self._url(path),
                body,
                {"Content-Type": f"multipart/form-data; boundary={mark}", "Origin": self.root},
            )
        )

    def _url(self, path: str) -> str:
        return urllib.parse.urljoin(self.root, path)

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=60) as answer:
                return Answer(answer.status, answer.url, answer.read().decode(), dict(answer.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.url or "", error.read().decode(), dict(error.headers))


def links(answer: Answer, pattern: str) -> list[str]:
    """The addresses on a page that match, in order."""
    found = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', answer.text)]
    return [link for link in found if re.fullmatch(pattern, link)]


def wait_for(true: Callable[[], object], seconds: float, why: Callable[[], str] = str) -> None:
    """Wait until something is true."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, why()
        time.sleep(0.1)
