"""A school's LMS for tests of the portal: the fake platform, registered here, and people who click in it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpResponse
from django.test import Client

from attest.lti.keys import public_jwks
from attest.portal.lms import models, reaching
from attest.portal.lms.own_keys import own_keys
from tests.lti.platform import Link, Platform, Tool

OURS = "http://testserver"
FRAMED = {"Sec-Fetch-Dest": "iframe"}


@dataclass(frozen=True)
class LMS:
    """The fake platform, how it knows the portal, and how the portal knows it."""

    platform: Platform
    tool: Tool
    row: models.Platform

    def asked(self, browser: Client, subject: str, link: Link | None, **headers: str) -> HttpResponse:
        """What the portal's login address answers to somebody who clicks."""
        told = self.platform.launches.begin(self.tool, subject, link)
        return browser.post("/lti/login", told, headers=headers)  # type: ignore[return-value]

    def form(self, browser: Client, subject: str, link: Link | None, **headers: str) -> Mapping[str, str]:
        """What the platform has the browser post to the portal."""
        return self.platform.launches.authenticate(
            onward(self.asked(browser, subject, link, **headers))
        ).fields

    def click(
        self, browser: Client, subject: str, link: Link | None, *, framed: bool = False
    ) -> HttpResponse:
        """Somebody clicks a link in the LMS; return what they see first."""
        headers = FRAMED if framed else {}
        fields = self.form(browser, subject, link, **headers)
        return browser.post("/lti/launch", fields, headers=headers)  # type: ignore[return-value]


def register(platform: Platform, family: str = "moodle") -> LMS:
    """Register the portal with a fake platform, by hand."""
    keys = public_jwks(own_keys(time.time()))
    client_id = f"attest-{platform.url.rpartition(':')[2]}"
    tool = platform.add_tool(f"{OURS}/lti/login", f"{OURS}/lti/launch", keys, client_id=client_id)
    known = platform.registration(tool)
    row = models.Platform.objects.create(
        name="Moodle of the school",
        family=family,
        issuer=known.issuer,
        client_id=known.client_id,
        auth_login_url=known.auth_login_url,
        auth_token_url=known.auth_token_url,
        jwks_url=known.jwks_url,
        token_audience=known.token_audience,
    )
    return LMS(platform, tool, row)


def forget_asked() -> None:
    """Have this process forget what it has of platforms: other tests have others, at the same addresses."""
    for kept in (reaching.web, reaching.platform_keys, reaching.tokens):
        kept.cache_clear()


def onward(answer: HttpResponse) -> dict[str, str]:
    """What the platform is asked by an answer of the login address: a redirect, or a page that goes there."""
    if answer.status_code == 302:
        return dict(parse_qsl(urlsplit(answer["Location"]).query))
    found = re.search(r'data-onward="([^"]+)"', answer.content.decode())
    assert found, answer.content
    return dict(parse_qsl(urlsplit(unescape(found[1])).query))


def field(answer: HttpResponse, name: str) -> str:
    """The value of a hidden field of a page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())
    assert found, answer.content.decode()
    return unescape(found[1])


def press(browser: Client, path: str, *, framed: bool = True, **fields: object) -> HttpResponse:
    """Send a form of a page of the portal's."""
    headers = {"Origin": OURS, **(FRAMED if framed else {})}
    return browser.post(path, fields, headers=headers)  # type: ignore[return-value]


def text_of(answer: HttpResponse) -> str:
    """The words of a page."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))
