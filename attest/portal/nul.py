"""Text that no database keeps is refused before any view sees it: with a NUL, or with half a character.

PostgreSQL takes no NUL in a text, and where one came in a query the answer would be a fault of ours. SQLite
would keep it, and a backup could then not go from one to the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from attest.portal.failures import unkeepable

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class RefuseNul:
    """Middleware. The address and cookies are looked at first, since sessions are found by a cookie."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = [("the address", request.path), *_fields(request.GET.lists()), *request.COOKIES.items()]
        return _refused(request, sent) or self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _named: Any
    ) -> HttpResponse | None:
        """Look at what was sent in the body, once it is known that there is a view for it."""
        if request.content_type == "application/json":
            return _refused(request, (("this", text) for text in _texts(_json(request.body))))
        names = (("the name of a file", one.name or "") for _, some in request.FILES.lists() for one in some)
        return _refused(request, [*_fields(request.POST.lists()), *names])


def _fields(lists: Iterable[tuple[str, list[Any]]]) -> Iterator[tuple[str, str]]:
    for name, values in lists:
        yield "the name of a field", name
        for value in values:
            yield name, str(value)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # for the view to refuse
        return None


def _texts(document: Any) -> Iterator[str]:
    """Yield every string of a JSON document, names included."""
    left = [document]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            left.extend(value)
        elif isinstance(value, dict):
            left += [*value.keys(), *value.values()]


def _refused(request: HttpRequest, sent: Iterable[tuple[str, str]]) -> HttpResponse | None:
    """Return what is answered where one of the texts cannot be kept; `sent` are names and texts."""
    for name, text in sent:
        if _NO_TEXT.search(text):
            sentence = (
                f"{name[:80]}: holds a character that is no text and cannot be kept (a NUL, or half of one). "
                "Nothing was changed. Take it out, and send it again."
            )
            if request.headers.get("Accept") == "application/json" or request.path.startswith("/api/"):
                return JsonResponse({"refused": sentence}, status=400)
            return unkeepable(request, sentence)
    return None
