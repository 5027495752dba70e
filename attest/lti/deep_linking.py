"""What an instructor chose, told to the platform: links to assignments, each with a line in the gradebook.

Source: 1EdTech LTI Deep Linking 2.0, sections 3.2 (LTI resource link) and 4.4 (response).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from attest.lti import claims
from attest.lti.claims import Launch
from attest.lti.errors import Refused
from attest.lti.keys import OwnKey, sign
from attest.lti.registrations import Registration

ASSIGNMENT = "attest_assignment"  # the custom parameter that a course's copy keeps
LINK = "ltiResourceLink"
TAG = "attest"  # of our line items
_SECONDS = 300
_EARLIER = 5  # a clock of ours that goes ahead must not make the answer one from the future


@dataclass(frozen=True)
class Window:
    """From when until when; an end that is not set is open. Times know their zone."""

    begins: datetime | None = None
    ends: datetime | None = None


@dataclass(frozen=True)
class AssignmentLink:
    """One assignment as a link in the platform's course."""

    assignment: str  # its id here
    title: str
    url: str  # where its launches go
    points: float
    available: Window = Window()  # when it can be seen
    submission: Window = Window()  # when it can be handed in


def response(
    key: OwnKey, registration: Registration, launch: Launch, items: Sequence[AssignmentLink], now: float
) -> str:
    """Return the signed answer to a deep linking launch; without items it says that nothing was chosen.

    Raises:
        Refused: the platform did not ask for such links, or for only one.
    """
    settings = launch.deep_linking
    if settings is None:
        raise Refused("deep_linking_settings", "this launch did not ask for a choice.")
    if items and settings.accept_types and LINK not in settings.accept_types:
        accepted = ", ".join(sorted(settings.accept_types))
        raise Refused("accept_types", f"the platform takes {accepted} here, and no links to a tool ({LINK}).")
    if len(items) > 1 and not settings.accept_multiple:
        raise Refused("accept_multiple", f"the platform takes one link at a time; {len(items)} were chosen.")
    answer: dict[str, Any] = {
        "iss": registration.client_id,
        "aud": registration.issuer,
        "iat": int(now) - _EARLIER,
        "exp": int(now) + _SECONDS,
        "nonce": secrets.token_urlsafe(24),
        claims.MESSAGE_TYPE: "LtiDeepLinkingResponse",
        claims.VERSION: "1.3.0",
        claims.DEPLOYMENT_ID: launch.deployment_id,
        claims.CONTENT_ITEMS: [_content_item(item) for item in items],
    }
    if settings.data is not None:
        answer[claims.DATA] = settings.data
    return sign(key, answer)


def _content_item(link: AssignmentLink) -> dict[str, Any]:
    item: dict[str, Any] = {
        "type": LINK,
        "title": link.title,
        "url": link.url,
        "custom": {ASSIGNMENT: link.assignment},
        "lineItem": {
            "label": link.title,
            "scoreMaximum": link.points,
            "resourceId": link.assignment,
            "tag": TAG,
        },
    }
    for name, window in (("available", link.available), ("submission", link.submission)):
        if told := _window(window):
            item[name] = told
    return item


def _window(window: Window) -> dict[str, str]:
    ends = {"startDateTime": window.begins, "endDateTime": window.ends}
    return {name: _written(time) for name, time in ends.items() if time is not None}


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
