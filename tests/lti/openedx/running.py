"""Open edX's own LTI platform, started for a test: an independent peer that shares no code with Attest."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from attest.lti.registrations import Registration

PYTHON = Path(sys.prefix) / "openedx" / "bin" / "python"


class OpenEdx:
    """lti-consumer-xblock with one tool, by its addresses, until the end of the block."""

    def __init__(self, folder: Path, *, login: str, launch: str, jwks: str) -> None:
        if not PYTHON.is_file():
            if os.environ.get("ATTEST_REQUIRE") == "all":
                pytest.fail(f"{PYTHON} is missing, and ATTEST_REQUIRE=all asks for it: see make test.")
            pytest.skip("lti-consumer-xblock is not installed; make test does.")
        self.launch = launch
        self._errors = (folder / "openedx.log").open("w+")
        self._process = subprocess.Popen(
            [PYTHON, "-P", Path(__file__).parent / "serve.py", folder, login, launch, jwks],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parent)},
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, self.said()
        self._told: dict[str, str] = json.loads(line)
        self.url = self._told["issuer"]

    def __enter__(self) -> OpenEdx:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=30)  # its input ends, and with it the process
        self._errors.close()

    def said(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def registration(self, key: str = "1") -> Registration:
        """What a tool keeps of it; it knows one deployment."""
        return Registration(key=key, deployment_ids=frozenset({"1"}), **self._told)

    def begin(self, user: str, role: str, **more: str) -> dict[str, str]:
        """Click: what the tool's login address is sent."""
        asked = urlencode({"user": user, "role": role, "link": "link-1", **more})
        request = urllib.request.Request(f"{self.url}/begin?{asked}")
        with urllib.request.build_opener(_Stay).open(request, timeout=30) as answer:
            return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))

    def authenticate(self, redirect: str) -> dict[str, str]:
        """Follow the tool's redirect; return the form that goes to its launch address."""
        with urllib.request.urlopen(redirect, timeout=30) as answer:
            page = answer.read().decode()
        assert f'action="{self.launch}"' in page, page
        pairs = re.findall(r'<input name="([^"]+)" value="([^"]*)"', page)
        return {name: html.unescape(value) for name, value in pairs}


class _Stay(urllib.request.HTTPRedirectHandler):
    """Keeps a redirect as the answer."""

    def http_error_302(self, req, fp, code, msg, headers):  # type: ignore[no-untyped-def]
        return fp
