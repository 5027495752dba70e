"""The services of a platform: columns, scores and results (AGS), and the roster (NRPS).

Sources: 1EdTech Assignment and Grade Services 2.0; Names and Role Provisioning Services 2.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.lti.platform.gradebooks import SCORE, Reply
from tests.lti.platform.tokens import LINE_ITEM, LINE_ITEM_READ, MEMBERS, RESULT, Access
from tests.lti.platform.tokens import SCORE as SCORE_SCOPE
from tests.lti.platform.world import Course, LineItem

if TYPE_CHECKING:
    from tests.lti.platform.server import Platform

ITEM = "application/vnd.ims.lis.v2.lineitem+json"
ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
ROSTER = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"


@dataclass(frozen=True)
class Request:
    """What a tool asks."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    now: float


@dataclass(frozen=True)
class Received:
    """A score that came, and what was said to it."""

    at: float
    line_item: str
    score: Any
    status: int


_NEEDS = {
    ("lineitems", "GET"): (LINE_ITEM, LINE_ITEM_READ),
    ("lineitems", "POST"): (LINE_ITEM,),
    ("lineitem", "GET"): (LINE_ITEM, LINE_ITEM_READ),
    ("lineitem", "PUT"): (LINE_ITEM,),
    ("lineitem", "DELETE"): (LINE_ITEM,),
    ("scores", "POST"): (SCORE_SCOPE,),
    ("results", "GET"): (RESULT,),
    ("members", "GET"): (MEMBERS,),
}
_SENT = {"lineitems": ITEM, "lineitem": ITEM, "scores": SCORE}


class Services:
    """Answers what tools ask of a platform's courses."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.received: list[Received] = []
        self.page_size = 50
        self.pages_loop = False  # the next page of a roster is the same page, for ever

    def answer(self, name: str, course_id: str, item_id: str, request: Request) -> Reply:
        """Answer one request, after looking at its token, its scope and its media type."""
        access = self.platform.tokens.opened_by(request.headers.get("authorization", ""), request.now)
        refusal = self._refusal(name, request, access)
        course = self.platform.courses.get(course_id)
        if refusal is not None or access is None or course is None:
            return refusal or Reply(404)
        if name == "members":
            return self._members(course, request)
        if name == "lineitems":
            return self._line_items(course, access.client_id, request)
        item = course.line_items.get(item_id)
        if item is None or item.owner != access.client_id:
            return Reply(404 if item is None else 403)
        answers = {"lineitem": self._line_item, "scores": self._score, "results": self._results}
        return answers[name](course, item, request)

    def _refusal(self, name: str, request: Request, access: Access | None) -> Reply | None:
        needed = _NEEDS.get((name, request.method))
        if needed is None:
            return Reply(405)
        if access is None:
            return Reply(401, {"error": "invalid_token"}, {"WWW-Authenticate": "Bearer"})
        if not access.scopes.intersection(needed):
            return Reply(403, {"error": "insufficient_scope"})
        if request.method in ("POST", "PUT") and request.headers.get("content-type") != _SENT[name]:
            return Reply(400, {"error": f"Content-Type {request.headers.get('content-type')}"})
        expected = self.platform.type_id(access.client_id) if self.platform.mode == "moodle" else None
        if name != "members" and expected not in (None, request.query.get("type_id")):
            return Reply(403)  # Moodle takes a tool that it cannot name for one of LTI 2
        return None

    def item_url(self, course: Course, item: LineItem) -> str:
        return self.platform.service_url(course.id, f"lineitems/{item.id}/lineitem", item.owner)

    def _line_items(self, course: Course, client_id: str, request: Request) -> Reply:
        if request.method == "POST":
            told = _object(request.body)
            if told is None or not isinstance(told.get("label"), str) or not told.get("scoreMaximum"):
                return Reply(400)
            item = course.add_line_item(
                client_id,
                told["label"],
                float(told["scoreMaximum"]),
                resource_link_id=told.get("resourceLinkId", ""),
                resource_id=told.get("resourceId", ""),
                tag=told.get("tag", ""),
            )
            self.platform.gradebook.change(item, told)
            return Reply(201, item.told(self.item_url(course, item)), {"Content-Type": ITEM})
        wanted = {
            name: request.query[asked]
            for asked, name in (
                ("resource_link_id", "resource_link_id"),
                ("resource_id", "resource_id"),
                ("tag", "tag"),
            )
            if asked in request.query
        }
        found = [
            item.told(self.item_url(course, item))
            for item in course.line_items.values()
            if item.owner == client_id and all(getattr(item, name) == value for name, value in wanted.items())
        ]
        return self._page(found, request, self.platform.service_url(course.id, "lineitems", client_id), ITEMS)

    def _line_item(self, course: Course, item: LineItem, request: Request) -> Reply:
        if request.method == "DELETE":
            del course.line_items[item.id]
            for link in course.links.values():
                link.line_item = None if link.line_item == item.id else link.line_item
            return Reply(204)
        if request.method == "PUT":
            told = _object(request.body)
            if told is None:
                return Reply(400)
            self.platform.gradebook.change(item, told)
        return Reply(200, item.told(self.item_url(course, item)), {"Content-Type": ITEM})

    def _score(self, course: Course, item: LineItem, request: Request) -> Reply:
        try:
            score = json.loads(request.body)
        except ValueError:
            score = None
        reply = self.platform.gradebook.take(course, item, score, request.now)
        self.received.append(Received(request.now, item.id, score, reply.status))
        return reply

    def _results(self, course: Course, item: LineItem, request: Request) -> Reply:
        url = self.item_url(course, item)
        found = self.platform.gradebook.results(item, url, request.query.get("user_id"))
        return self._page(found, request, url.replace("/lineitem?", "/lineitem/results?"), RESULTS)

    def _members(self, course: Course, request: Request) -> Reply:
        members = [
            member.in_roster()
            for member in course.members.values()
            if request.query.get("role") is None or request.query["role"] in member.roles
        ]
        url = self.platform.service_url(course.id, "memberships")
        page = self._page(members, request, url, ROSTER)
        links = [f'<{url}?since=1>; rel="differences"', page.headers.get("Link", "")]
        body = {"id": url, "context": {"id": course.id, "title": course.title}, "members": page.body}
        return Reply(200, body, {**page.headers, "Link": ", ".join(filter(None, links))})

    def _page(self, found: list[Any], request: Request, url: str, content_type: str) -> Reply:
        """One page, and in a Link header where the next one is."""
        size = min(int(request.query.get("limit") or self.page_size), self.page_size)
        start = int(request.query.get("from", 0))
        headers = {"Content-Type": content_type}
        if self.pages_loop or start + size < len(found):
            following = start if self.pages_loop else start + size
            query = {**request.query, "limit": str(size), "from": str(following)}
            headers["Link"] = f'<{url.partition("?")[0]}?{urlencode(query)}>; rel="next"'
        return Reply(200, found[start : start + size], headers)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(body)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None
