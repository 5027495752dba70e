"""A portal that really runs, a platform over real HTTP, registered with each other, and people who click."""

from __future__ import annotations

import html
import http.cookiejar
import re
import secrets
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.lti.platform import Link, Platform, Tool
from tests.portal.running import Answer, Browser, Portal, new_database

PRIVATE = {"ATTEST_PORTAL_PRIVATE_PLATFORMS": "yes"}
_FORM = re.compile(r'<form method="post" action="([^"]+)">')
_INPUT = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


def in_a_school(folder: Path, *, workers: int = 0) -> Portal:
    """A portal in a school's network, whose LMS is there, too."""
    return Portal(folder / "data", "--workers", str(workers), env={**new_database(), **PRIVATE})


class Visitor(Browser):
    """A browser in which people click in an LMS. Like Chromium, it takes localhost for a safe place."""

    def __init__(self, portal: Portal) -> None:
        super().__init__(portal)
        safe = http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https"))
        self.cookies = http.cookiejar.CookieJar(safe)
        keeps = urllib.request.HTTPCookieProcessor(self.cookies)
        self._follows = urllib.request.build_opener(keeps)
        self._opener = urllib.request.build_opener(keeps, _NoRedirect())

    def send(
        self, url: str, fields: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request, as a page of another site can make it; a redirect is the answer."""
        body = None if fields is None else urllib.parse.urlencode(fields).encode()
        return self._ask(urllib.request.Request(self._url(url), body, dict(headers or {})))

    def follow(self) -> None:
        """Go where redirects lead from now on."""
        self._opener = self._follows

    def own_page(self, path: str, fields: Mapping[str, str]) -> Answer:
        """A form of a page of the portal's own that was not asked for by a session."""
        return self.send(path, fields, {"Origin": self.root})

    @property
    def session(self) -> str | None:
        return next((one.value for one in self.cookies if one.name == "sessionid"), None)


@dataclass(frozen=True)
class Registered:
    """A platform that a portal knows, and that knows the portal."""

    portal: Portal
    platform: Platform
    tool: Tool

    def form(self, visitor: Visitor, subject: str, link: Link | None, deployment: str = "") -> dict[str, str]:
        """Click, and go as far as the form that the platform has the browser post to the portal."""
        told = self.platform.launches.begin(self.tool, subject, link, deployment=deployment)
        onward = visitor.send("/lti/login", told)
        assert onward.status == 302, onward.text
        page = visitor.send(onward.headers["Location"])
        found = _FORM.search(page.text)
        assert found, page.text
        assert found[1] == f"{visitor.root}/lti/launch"
        return {name: html.unescape(value) for name, value in _INPUT.findall(page.text)}

    def click(self, visitor: Visitor, subject: str, link: Link | None, deployment: str = "") -> Answer:
        """Click, and return what the portal answers to the launch."""
        return visitor.send("/lti/launch", self.form(visitor, subject, link, deployment))

    def link_course(self, visitor: Visitor, link: Link, assignment: str = "installed:basics") -> str:
        """The teacher makes a course for the LMS's and links what was clicked; return the assignment's."""
        page = self.click(visitor, "t1", link)
        ticket = hidden(page, "ticket")
        page = visitor.own_page("/lti/choose", {"ticket": ticket, "course": "new", "zone": "UTC"})
        assert assignment in page.text, page.text
        done = visitor.own_page("/lti/choose", {"ticket": ticket, "assignment": assignment})
        assert done.status == 302, done.text
        return done.headers["Location"]


def register(
    portal: Portal, administrator: Browser, platform: Platform, client_id: str = "", **more: str
) -> Registered:
    """Register a platform by hand; `more` replaces what is written into the form."""
    tool = platform.add_tool(
        f"{administrator.root}/lti/login",
        f"{administrator.root}/lti/launch",
        f"{administrator.root}/lti/jwks.json",
        client_id=client_id or f"attest-{secrets.token_hex(6)}",  # a port is used again
        deployments=("1", "2"),
    )
    known = platform.registration(tool)
    page = "/platforms/new/?family=other"
    fields = {
        "family": "other",
        "name": "The school's LMS",
        "issuer": known.issuer,
        "client_id": known.client_id,
        "auth_login_url": known.auth_login_url,
        "auth_token_url": known.auth_token_url,
        "jwks_url": known.jwks_url,
        **more,
    }
    made = administrator.post(page, fields)
    assert re.search(r"/platforms/\d+/$", made.url), made.text
    return Registered(portal, platform, tool)


def invitation(administrator: Browser) -> str:
    """The path by which a platform registers itself, once."""
    shown = administrator.post("/platforms/", {"name": "Another", "family": "moodle"})
    found = re.search(r"/lti/register/[\w-]+", shown.text)
    assert found, shown.text
    return found[0]


def code_of(course: str, by: Browser) -> str:
    """The code by which an LMS's course is linked with the course at this path."""
    found = re.search(r'<pre class="copy">([^<]+)</pre>', by.get(f"{course}lms/").text)
    assert found, course
    return html.unescape(found[1])


def hidden(page: Answer, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page.text)
    assert found, page.text
    return html.unescape(found[1])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Has a redirect be the answer."""

    def redirect_request(self, *given: object) -> None:
        """Go nowhere."""
