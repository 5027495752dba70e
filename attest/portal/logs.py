"""The log: a line of JSON for each request and event, without names and without what students wrote."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
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
            "event": record.getMessage() if record.name.startswith("attest.") else record.msg,
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


def write_logs() -> None:
    """Write the log of this process to its standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _log.setLevel(logging.INFO)


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
