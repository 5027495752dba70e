"""A tool that asks a platform's services by the shortest way, to try the platform by itself."""

from __future__ import annotations

import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc.jwk import RSAKey

from tests.lti.platform import keys
from tests.lti.platform.gradebooks import SCORE
from tests.lti.platform.server import Platform
from tests.lti.platform.services import ITEM
from tests.lti.platform.tokens import SCOPES
from tests.lti.platform.world import Link, Tool


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: Any
    headers: Mapping[str, str]


def ask(method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """One request; JSON where it is JSON, else text."""
    request = urllib.request.Request(url, body, dict(headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            status, data, told = answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        status, data, told = error.code, error.read(), error.headers
    try:
        return Answer(status, json.loads(data) if data else None, told)
    except ValueError:
        return Answer(status, data.decode(), told)


class Client:
    """A tool with a key, registered at a platform, with a link and its column."""

    def __init__(self, platform: Platform, client_id: str = "attest-1") -> None:
        self.platform = platform
        self.key: RSAKey = keys.new_key("tool-1")
        self.tool: Tool = platform.add_tool(
            "http://tool.example/login",
            "http://tool.example/launch",
            {"keys": [self.key.as_dict(private=False)]},
            client_id=client_id,
        )
        self.link: Link = platform.add_assignment(self.tool)

    @property
    def line_item(self) -> str:
        """The address of the link's column."""
        assert self.link.line_item
        course = self.platform.course
        return self.platform.services.item_url(course, course.line_items[self.link.line_item])

    def assertion(self, **change: Any) -> str:
        now = time.time()
        claims = {
            "iss": self.tool.client_id,
            "sub": self.tool.client_id,
            "aud": self.platform.tokens.audience,
            "iat": now - 5,
            "exp": now + 60,
            "jti": secrets.token_hex(8),
            **change,
        }
        return keys.sign({name: value for name, value in claims.items() if value is not None}, self.key)

    def ask_token(self, assertion: str, *scopes: str) -> Answer:
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": assertion,
            "scope": " ".join(scopes or SCOPES),
        }
        return ask(
            "POST",
            f"{self.platform.url}/token",
            urllib.parse.urlencode(form).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )

    def token(self, *scopes: str) -> str:
        answer = self.ask_token(self.assertion(), *scopes)
        assert answer.status == 200, answer
        return str(answer.body["access_token"])

    def call(self, method: str, url: str, told: Any = None, kind: str = ITEM, token: str = "") -> Answer:
        """Ask a service."""
        headers = {"Authorization": f"Bearer {token or self.token()}"}
        if told is None:
            return ask(method, url, None, headers)
        return ask(method, url, json.dumps(told).encode(), {**headers, "Content-Type": kind})

    def score(self, subject: str, given: float | None, at: float, maximum: float = 40, **more: Any) -> Answer:
        """Send a score to the link's column; `at` is its timestamp."""
        told = {
            "userId": subject,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03}Z",
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
            **({} if given is None else {"scoreGiven": given, "scoreMaximum": maximum}),
            **more,
        }
        return self.call("POST", below(self.line_item, "scores"), told, SCORE)

    def grade(self, subject: str) -> float | None:
        """What the gradebook has."""
        item = self.platform.course.line_items[str(self.link.line_item)]
        grade = item.grades.get(subject)
        return grade.score if grade else None


def below(url: str, path: str) -> str:
    """An address below another one that may have a query."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(path=f"{parts.path}/{path}"))
