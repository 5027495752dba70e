"""The platform itself: one HTTP server with all that an LMS has for a tool, and its world in memory."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc.errors import JoseError

from attest.lti.registrations import Registration
from tests.lti.platform import faults, pages
from tests.lti.platform.gradebooks import GRADEBOOKS, Reply
from tests.lti.platform.keys import Keys
from tests.lti.platform.launches import BadRequest, Launches
from tests.lti.platform.registering import Registering
from tests.lti.platform.services import Request, Services
from tests.lti.platform.tokens import Tokens
from tests.lti.platform.world import Course, Link, Tool, small_course

_FAMILIES = {"brightspace": "desire2learn", "blackboard": "BlackboardLearn", "other": "sakai"}
_AUDIENCES = {"brightspace": "https://api.school.example/auth/token"}  # no address of this server
_SERVICES = re.compile(
    r"/services/(?P<course>\w+)/(?:(?P<members>memberships)|(?P<items>lineitems)"
    r"(?:/(?P<item>\w+)/lineitem(?:/(?P<below>scores|results))?)?)"
)
_PLAIN = {
    "/jwks": "jwks",
    "/token": "token",
    "/auth": "auth",
    "/register": "register",
    "/storage": "storage",
    "/.well-known/openid-configuration": "openid",
}


class Platform:
    """An LMS at `url` until `end`; `mode` is moodle, canvas, blackboard, brightspace or other.

    `course` is small. `broken[name]` answers instead of jwks, token, auth, openid, register, lineitems,
    lineitem, scores, results or members; `next[name]` the same, one request each; `weather` at random.
    """

    def __init__(
        self, mode: str = "moodle", *, clock: Callable[[], float] = time.time, host: str = "127.0.0.1"
    ) -> None:
        self.mode = mode
        self.clock = clock
        self.gradebook = GRADEBOOKS[mode]()
        self.family_code = _FAMILIES.get(mode, mode)
        self.keys = Keys()
        self.tools: dict[str, Tool] = {}
        self.course = small_course()
        self.courses: dict[str, Course] = {self.course.id: self.course}
        self.broken: dict[str, faults.Fault] = {}
        self.next: dict[str, list[faults.Fault]] = defaultdict(list)
        self.weather: faults.Weather | None = None
        self.asked: list[tuple[str, str]] = []  # the name and method of every request
        self.lock = threading.RLock()
        self._server = _Server(("127.0.0.1", 0), _Connection)
        self._server.platform = self
        self.url = self.issuer = f"http://{host}:{self._server.server_port}"
        self.tokens = Tokens(_AUDIENCES.get(mode, f"{self.url}/token"))
        self.services = Services(self)
        self.launches = Launches(self)
        self.registering = Registering(self)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Platform:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        self._server.ended.set()
        self._server.shutdown()
        self._server.server_close()

    def add_tool(
        self,
        login_url: str,
        launch_url: str,
        jwks: str | dict[str, Any],
        *,
        client_id: str = "attest-1",
        deployments: tuple[str, ...] = ("1",),
        deep_linking_url: str = "",
    ) -> Tool:
        """Register a tool by hand."""
        tool = Tool(
            client_id,
            login_url,
            [launch_url],
            jwks,
            list(deployments),
            deep_linking_url or launch_url,
            "Attest",
        )
        self.tools[client_id] = tool
        return tool

    def registration(self, tool: Tool, key: str = "1") -> Registration:
        """The same, as the tool keeps it."""
        audience = self.tokens.audience
        return Registration(
            key,
            self.issuer,
            tool.client_id,
            f"{self.url}/auth",
            f"{self.url}/token",
            f"{self.url}/jwks",
            "" if audience == f"{self.url}/token" else audience,
            frozenset(tool.deployments),
        )

    def add_assignment(
        self, tool: Tool, title: str = "Attention", maximum: float = 20, **custom: str
    ) -> Link:
        """A link in the course, and unless this is Brightspace, its column."""
        link = self.course.add_link(title, tool.redirect_urls[0], **custom)
        if self.mode != "brightspace":
            link.line_item = self.course.add_line_item(
                tool.client_id, title, maximum, resource_link_id=link.id
            ).id
        return link

    def type_id(self, client_id: str) -> str:
        """How Moodle names a tool in its addresses."""
        return str(list(self.tools).index(client_id) + 2)

    def service_url(self, course_id: str, path: str, client_id: str = "") -> str:
        query = f"?type_id={self.type_id(client_id)}" if self.mode == "moodle" and client_id else ""
        return f"{self.url}/services/{course_id}/{path}{query}"

    def page_url(self, tool: Tool, subject: str, link: Link | None) -> str:
        """A page of the course, as this person sees it, with the tool in a frame."""
        place = f"link/{link.id}" if link else "choose"
        who = urlencode({"as": subject, "tool": tool.client_id})
        return f"{self.url}/course/{self.course.id}/{place}?{who}"

    def answer(self, connection: _Connection) -> None:
        """Answer one request."""
        asked = urlsplit(connection.path)
        service = _SERVICES.fullmatch(asked.path)
        name = _name(service) if service else _PLAIN.get(asked.path, "page")
        request = Request(
            connection.command,
            dict(parse_qsl(asked.query, keep_blank_values=True)),
            {name.lower(): value for name, value in connection.headers.items()},
            connection.body(),
            self.clock(),
        )
        with self.lock:
            self.asked.append((name, connection.command))
            fault = self.next[name].pop(0) if self.next[name] else self.broken.get(name)
        if fault:
            fault(connection)
            return
        storm = self.weather.strikes() if self.weather and name in self.weather.at else None
        reply = storm[0] if storm else None
        if storm is None or storm[1]:
            with self.lock:
                if service:
                    done = self.services.answer(name, service["course"], service["item"] or "", request)
                else:
                    done = self._other(name, asked.path, request)
            reply = reply or done
        connection.reply(reply)

    def _other(self, name: str, path: str, request: Request) -> Reply:
        if name == "jwks":
            return Reply(200, self.keys.published())
        if name == "openid":
            return Reply(200, self.registering.configuration())
        if name == "register":
            return self.registering.register(request.headers, request.body)
        kind = request.headers.get("content-type", "")
        is_form = kind.startswith("application/x-www-form-urlencoded")
        form = dict(parse_qsl(request.body.decode(), keep_blank_values=True)) if is_form else {}
        if name == "token":
            return self.tokens.give(self.tools, form, kind, request.now)
        try:
            return Reply(200, self._page(path, {**request.query, **form}))
        except (BadRequest, LookupError, ValueError, JoseError) as error:
            return Reply(400, f"Bad request: {error!r}")

    def _page(self, path: str, asked: Mapping[str, str]) -> str:
        if path == "/auth":
            told = self.launches.authenticate(asked)
            return pages.posted_by_itself(told.action, told.fields)
        origins = sorted({_origin(tool.login_url) for tool in self.tools.values()})
        target = self.launches.storage_target
        if path == "/storage":
            return pages.storage_page(target or "", origins)
        _, kind, course_id, *rest = path.split("/")
        if kind == "deep-linking":
            return pages.said(f"Added: {len(self.launches.chosen(course_id, asked['JWT']))}")
        course = self.courses[course_id]
        if not rest:
            return pages.said(course.title)
        link = course.links[rest[1]] if len(rest) > 1 else None
        tool = self.tools[asked["tool"]]
        if rest[0] == "go":
            return pages.posted_by_itself(
                tool.login_url, self.launches.begin(tool, asked["as"], link, course)
            )
        frame = f"/course/{course.id}/go" + (f"/{link.id}" if link else "") + f"?{urlencode(asked)}"
        return pages.course_page(link.title if link else "Choose", frame, target, origins)


class _Server(ThreadingHTTPServer):
    """Ends without waiting for connections that a fault keeps open."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    platform: Platform

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.ended = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A tool that goes away is what faults are for."""


class _Connection(BaseHTTPRequestHandler):
    """One connection, kept open between requests."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    server: _Server

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(self, reply: Reply) -> None:
        is_text = isinstance(reply.body, str)
        text = "" if reply.body is None else reply.body if is_text else json.dumps(reply.body)
        data = text.encode()
        kind = "text/html; charset=utf-8" if is_text else "application/json"
        self.send_response(reply.status)
        for name, value in {"Content-Type": kind, **reply.headers}.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if reply.status != 204 else b"")

    def do_GET(self) -> None:
        self.server.platform.answer(self)

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Tests look at `asked`."""


def _name(service: re.Match[str]) -> str:
    if service["members"]:
        return "members"
    return service["below"] or ("lineitem" if service["item"] else "lineitems")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
