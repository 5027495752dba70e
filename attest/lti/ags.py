"""The Assignment and Grade Services 2.0: columns of a gradebook, scores sent there, results found there."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from attest.lti.errors import Unreachable
from attest.lti.members import parsed
from attest.lti.service import Service, below
from attest.lti.web import bare
from reports.visible_text import visible_text

_AGS = "https://purl.imsglobal.org/spec/lti-ags/scope"
LINE_ITEMS = f"{_AGS}/lineitem"
LINE_ITEMS_READ = f"{_AGS}/lineitem.readonly"
RESULTS_READ = f"{_AGS}/result.readonly"
SCORES = f"{_AGS}/score"

_ITEM = "application/vnd.ims.lis.v2.lineitem+json"
_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
_RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
_SCORE = "application/vnd.ims.lis.v1.score+json"
_MOST = 20_000  # of one list
_OURS = ("id", "label", "scoreMaximum", "resourceId", "tag", "resourceLinkId")


@dataclass(frozen=True)
class LineItem:
    """A column of the gradebook. `more` is what the platform has in it beside these."""

    label: str
    maximum: float
    url: str = ""
    resource_id: str = ""
    tag: str = ""
    resource_link_id: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it as platforms read it."""
        named = {
            "id": self.url,
            "resourceId": self.resource_id,
            "tag": self.tag,
            "resourceLinkId": self.resource_link_id,
        }
        there = {name: value for name, value in named.items() if value}
        return {**self.more, **there, "label": self.label, "scoreMaximum": self.maximum}


@dataclass(frozen=True)
class ScoreThere:
    """What a platform says that a person has; `at` is its timestamp, where it tells one."""

    subject: str
    points: float | None
    maximum: float | None
    comment: str = ""
    at: float | None = None  # seconds since the epoch


def reading(granted: Collection[str]) -> str:
    """Return the scope by which columns are read, of those that a platform granted."""
    return LINE_ITEMS if LINE_ITEMS in granted and LINE_ITEMS_READ not in granted else LINE_ITEMS_READ


def line_items(
    service: Service,
    url: str,
    *,
    resource_link_id: str = "",
    resource_id: str = "",
    tag: str = "",
    scope: str = LINE_ITEMS_READ,
) -> list[LineItem]:
    """Return the columns below an address of line items; others are left out, by what is named."""
    named = {"resource_link_id": resource_link_id, "resource_id": resource_id, "tag": tag}
    asked = below(url, **{name: value for name, value in named.items() if value})
    found = [_item(one) for one in _listed(service, asked, (scope,), _ITEMS)]
    return [  # some platforms give all, whatever was asked for
        one
        for one in found
        if resource_link_id in ("", one.resource_link_id)
        and resource_id in ("", one.resource_id)
        and tag in ("", one.tag)
    ]


def line_item(service: Service, url: str, *, scope: str = LINE_ITEMS_READ) -> LineItem:
    """Return one column."""
    return _item(service.ask("GET", url, (scope,), accept=_ITEM).json())


def create_line_item(service: Service, url: str, item: LineItem) -> LineItem:
    """Make a column below an address of line items, and return it with its own address."""
    return _sent_item(service, "POST", url, item)


def update_line_item(service: Service, item: LineItem) -> LineItem:
    """Change a column. In Moodle a new maximum rescales the grades that are there."""
    return _sent_item(service, "PUT", item.url, item)


def post_score(service: Service, line_item_url: str, score: Mapping[str, Any]) -> None:
    """Send one person's score; see `attest.lti.outbox`."""
    body = json.dumps(score, allow_nan=False).encode()
    service.ask("POST", below(line_item_url, "scores"), (SCORES,), content_type=_SCORE, body=body)


def results(service: Service, line_item_url: str, *, subject: str = "") -> list[ScoreThere]:
    """Return what people have in a column, or one person."""
    url = below(line_item_url, "results", **({"user_id": subject} if subject else {}))
    found = [_result(one) for one in _listed(service, url, (RESULTS_READ,), _RESULTS)]
    return [one for one in found if subject in ("", one.subject)]


def _listed(service: Service, url: str, scopes: tuple[str, ...], accept: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for page in service.pages(url, scopes, accept=accept):
        if not isinstance(page, list) or not all(isinstance(one, dict) for one in page):
            raise Unreachable(f"{bare(url)} answered with something else than a list.")
        found += page
        if len(found) > _MOST:
            raise Unreachable(f"{bare(url)} lists more than {_MOST:,}.")
    return found


def _sent_item(service: Service, method: str, url: str, item: LineItem) -> LineItem:
    body = json.dumps(item.as_json(), allow_nan=False).encode()
    reply = service.ask(method, url, (LINE_ITEMS,), accept=_ITEM, content_type=_ITEM, body=body)
    return _item(reply.json()) if reply.body else item


def _item(found: Any) -> LineItem:
    url = found.get("id") if isinstance(found, dict) else None
    if not isinstance(url, str) or parsed(url) is None:
        raise Unreachable("The platform answered with a line item that has no address (`id`).")
    return LineItem(
        label=_text(found.get("label")),
        maximum=_number(found.get("scoreMaximum")) or 0.0,
        url=url,
        resource_id=_text(found.get("resourceId")),
        tag=_text(found.get("tag")),
        resource_link_id=_text(found.get("resourceLinkId")),
        more={name: value for name, value in found.items() if name not in _OURS},
    )


def _result(found: dict[str, Any]) -> ScoreThere:
    return ScoreThere(
        subject=_text(found.get("userId")),
        points=_number(found.get("resultScore")),
        maximum=_number(found.get("resultMaximum")),
        comment=_text(found.get("comment")),
        at=_moment(found.get("timestamp")),
    )


def _text(found: object) -> str:
    """Return a text; an id may come as a number."""
    is_number = isinstance(found, int) and not isinstance(found, bool)
    return visible_text(found) if isinstance(found, str) else str(found) if is_number else ""


def _number(found: object) -> float | None:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    try:
        number = float(found)
    except OverflowError:  # an int of JSON has as many digits as it likes
        return None
    return number if math.isfinite(number) else None


def _moment(found: object) -> float | None:
    """Return a time of ISO 8601 with its zone, as seconds since the epoch."""
    try:
        when = datetime.fromisoformat(found) if isinstance(found, str) else None
        return when.timestamp() if when is not None and when.tzinfo else None
    except (ValueError, OverflowError):
        return None
