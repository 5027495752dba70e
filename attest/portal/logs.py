"""The log: a line of JSON for each request and event, without names and without what students wrote."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from django.http import HttpRequest, HttpResponse

from attest.portal.measures import REQUESTS, known_method

_log = logging.getLogger("attest.portal")


class Lines(logging.Formatter):
    """A record as one line of JSON. Of an exception its type and places are kept, never its words."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": _words(record),
            "from": record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            line["exception"] = kind.__name__
            line["places"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)[-8:]
            ]
        return json.dumps(line, default=str)


def _words(record: logging.LogRecord) -> str:
    """Return what a record says, without what others' code has put into it of a request or an exception."""
    if record.name.startswith("attest."):
        return record.getMessage()
    if record.name.startswith("django.security.") and not record.args:
        return "refused"  # the text quotes the request; with arguments it is a form of words alone
    return str(record.msg).partition("\n")[0]


def write_logs() -> None:
    """Write the log of this process to its standard error; so too what ends it, or a thread of it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _log.setLevel(logging.INFO)
    sys.excepthook = _ended
    threading.excepthook = lambda found: _ended(
        found.exc_type, found.exc_value or found.exc_type(), found.exc_traceback
    )


def _ended(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _log.critical("ended by a fault", exc_info=(kind, error, trace))


def event(name: str, **fields: Any) -> None:
    """Write one event: a name, and numbers or words of ours."""
    _log.info(name, extra={"fields": fields})


def log_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: write which view answered what, and how long it took; never an address."""

    def respond(request: HttpRequest) -> HttpResponse:
        begun = time.monotonic()
        response = get_response(request)
        took = time.monotonic() - begun
        match = request.resolver_match
        view = match.url_name or "" if match else ""
        method = known_method(request.method)
        REQUESTS.add((view, method, response.status_code), took)
        if view not in ("health", "ready", "metrics", "asset"):
            user = getattr(request, "user", None)
            event(
                "request",
                view=view,
                method=method,
                status=response.status_code,
                milliseconds=round(took * 1000, 1),
                person=getattr(user, "pk", None),
            )
        return response

    return respond
