"""Asking a platform's services with a token: one request, or all pages of a list."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from attest.lti.answers import checked
from attest.lti.errors import Unreachable
from attest.lti.registrations import Registration
from attest.lti.tokens import Tokens
from attest.lti.web import Reply, Web, bare

MOST_PAGES = 500
MOST_PAGE_BYTES = 16 << 20  # Moodle gives a whole roster as one page
MOST_LIST_BYTES = 64 << 20
LIST_SECONDS = 300.0  # of all pages; one may take as long as `Web` allows
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.IGNORECASE)


class Service:
    """The services of one registration. Safe to share between threads."""

    def __init__(
        self,
        web: Web,
        tokens: Tokens,
        registration: Registration,
        *,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
        list_seconds: float = LIST_SECONDS,
    ) -> None:
        self.registration = registration
        self._list_seconds = list_seconds
        self._web = web
        self._tokens = tokens
        self._clock = clock  # by which a platform's dates are read
        self._timer = timer

    def ask(
        self,
        method: str,
        url: str,
        scopes: Iterable[str],
        *,
        accept: str = "",
        content_type: str = "",
        body: bytes | None = None,
        most_bytes: int | None = None,
    ) -> Reply:
        """Ask, and return a reply that is well. Raises `Answered` or `Unreachable`.

        A token that is not accepted is replaced once.
        """
        scopes = tuple(scopes)
        headers = {"Accept": accept} if accept else {}
        if content_type:
            headers["Content-Type"] = content_type
        for last in (False, True):
            token = self._tokens.token(self.registration, scopes)
            reply = self._web.request(
                method,
                url,
                headers={**headers, "Authorization": f"Bearer {token}"},
                body=body,
                most_bytes=most_bytes,
            )
            if reply.status != 401 or last:
                break
            self._tokens.forget(self.registration, scopes, token)
        return checked(reply, f"{method} {bare(url)}", now=self._clock())

    def pages(self, url: str, scopes: Iterable[str], *, accept: str) -> Iterator[Any]:
        """Yield what each page of a list holds, read as JSON, following `Link: <…>; rel="next"`.

        A next page is asked for where the first one is, and nowhere else: our token goes with it.
        """
        scopes = tuple(scopes)
        seen: set[str] = set()
        left, until = MOST_LIST_BYTES, self._timer() + self._list_seconds
        following: str | None = url
        while following is not None:
            if following in seen:
                raise Unreachable(f"{bare(url)} names as the next page one that was before.")
            if len(seen) >= MOST_PAGES:
                raise Unreachable(f"{bare(url)} has more than {MOST_PAGES} pages.")
            if self._timer() > until:
                pages = f"{len(seen)} pages took longer than {self._list_seconds:g} s"
                raise Unreachable(f"{bare(url)} was not read to its end: {pages}.")
            seen.add(following)
            reply = self.ask("GET", following, scopes, accept=accept, most_bytes=min(MOST_PAGE_BYTES, left))
            left -= len(reply.body)
            if left <= 0:
                raise Unreachable(f"{bare(url)} lists more than {MOST_LIST_BYTES:,} bytes.")
            yield reply.json()
            following = next_page(reply.headers, following)
            if following is not None and urlsplit(following)[:2] != urlsplit(url)[:2]:
                raise Unreachable(f"{bare(url)} names a next page at another host.")


def next_page(headers: Mapping[str, str], url: str) -> str | None:
    """Return the address of the next page by a Link header (RFC 8288); None after the last."""
    for target, parameters in _LINK.findall(headers.get("link", "")):
        relations = _RELATION.search(parameters)
        if relations and "next" in (relations[1] or relations[2]).lower().split():
            try:
                return str(urljoin(url, target))
            except ValueError:
                raise Unreachable(f"{bare(url)} names a next page that is no address.") from None
    return None


def below(url: str, *parts: str, **query: str) -> str:
    """Return an address below another; its query (`?type_id=` in Moodle) stays, and `query` is added."""
    scheme, host, path, kept, _ = urlsplit(url)
    path = "/".join((path.rstrip("/"), *parts)) if parts else path
    pairs = [*parse_qsl(kept, keep_blank_values=True), *query.items()]
    return urlunsplit((scheme, host, path, urlencode(pairs) if query else kept, ""))
