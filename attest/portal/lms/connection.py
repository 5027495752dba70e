"""Testing the connection with an LMS, step by step: each says what was found, or what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from attest.lti.ags import line_item, line_items, reading
from attest.lti.dynamic import Tool
from attest.lti.errors import Answered, LTIError, Unreachable
from attest.lti.nrps import MEMBERS_READ, members
from attest.lti.platform_keys import fetch
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from attest.portal.lms.models import LinkedContext, LinkedResource, Platform
from attest.portal.lms.own_keys import own_signing_key
from attest.portal.lms.reaching import web_while_somebody_waits
from reports.amounts import count_text

_LIST_SECONDS = 20.0  # of a roster: somebody waits for the page
_NO_SUCH_PAGE = (404, 405, 410)
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Step:
    """One thing that was tried. `done` is None where it could not be tried yet."""

    title: str
    done: bool | None
    said: str


def own_trouble(own: str) -> str:
    """Return why an LMS or its people do not reach the portal at this address of it; "" where they may."""
    address = urlsplit(own)
    if address.hostname in _THIS_MACHINE:
        return (
            f"This portal is at {own}, which only this machine reaches: no LMS elsewhere, and none of its "
            "people. Start it with --url https://… and the name by which others reach it; the addresses here "
            "follow."
        )
    if address.scheme != "https":
        return (
            f"This portal is at {own}, without https: browsers keep no cookie of it in an LMS's frame, and "
            "most LMSs take no such address. Start it with --url https://…; the addresses here follow."
        )
    return ""


def tested(platform: Platform, own: Tool, now: float) -> list[Step]:
    """Try one thing after another; what needs a token is not tried where there is none."""
    web = web_while_somebody_waits()
    registration = platform.registration()
    tokens = Tokens(web, lambda: own_signing_key(now))
    trouble = own_trouble(own.url)
    steps = [
        Step("This portal's address", None if trouble else True, trouble or f"{own.url}, by https."),
        _step("Its public keys", lambda: _keys(web, platform)),
    ]
    token = _step("An access token", lambda: _token(tokens, platform, own.jwks_url))
    steps.append(token)
    if token.done:
        steps += _services(Service(web, tokens, registration, list_seconds=_LIST_SECONDS), platform)
    steps.append(_launched(platform))
    return steps


def _step(title: str, attempt: Callable[[], str]) -> Step:
    try:
        return Step(title, True, attempt())
    except LTIError as error:
        return Step(title, False, str(error))


def _keys(web: Web, platform: Platform) -> str:
    try:
        found = fetch(web, platform.jwks_url)
    except Unreachable as error:
        raise Unreachable(f"{error} Compare the public keyset URL below with the LMS's.") from error
    if not found:
        raise Unreachable(
            f"{platform.jwks_url} has no key of use: expected one of RSA with 2048 bits or more, for RS256."
        )
    return f"{count_text(len(found), 'key')} of use at {platform.jwks_url}."


def _token(tokens: Tokens, platform: Platform, own_keys_at: str) -> str:
    try:
        tokens.token(platform.registration(), [MEMBERS_READ])
    except Answered as error:
        if error.status in _NO_SUCH_PAGE:
            reasons = "Compare the access token URL below with the LMS's."
        else:
            reasons = (
                f"Usual reasons: the LMS cannot read our keys at {own_keys_at}; the client ID, the access "
                "token URL or the audience below is not what the LMS shows; the two clocks differ."
            )
        raise Unreachable(f"{str(error).rstrip('.')}. {reasons}") from error
    except Unreachable as error:
        raise Unreachable(f"{error} Compare the access token URL below with the LMS's.") from error
    return "The LMS has read our keys, and gives one."


def _services(service: Service, platform: Platform) -> Iterator[Step]:
    context = platform.contexts.exclude(nrps_url="").order_by("-pk").first()
    title = "A roster"
    if context is None:
        yield Step(title, None, "Link a course first; then its roster is read here.")
    else:
        yield _step(title, lambda: _roster(service, context))
    title = "A column of the gradebook"
    resource = LinkedResource.objects.filter(context__platform=platform).exclude(lineitem_url="").last()
    columns = platform.contexts.exclude(lineitems_url="").order_by("-pk").first()
    if resource is not None:
        yield _step(title, lambda: _column(service, resource))
    elif columns is not None:
        yield _step(title, lambda: _columns(service, columns))
    else:
        yield Step(title, None, "Open an assignment in the LMS first; then its column is read here.")


def _roster(service: Service, context: LinkedContext) -> str:
    found = members(service, context.nrps_url)
    return f"{count_text(len(found), 'person', 'people')} in “{context}”."


def _column(service: Service, resource: LinkedResource) -> str:
    scope = reading(resource.context.scopes)
    found = line_item(service, resource.lineitem_url, scope=scope)
    return f"“{found.label}”, of {found.maximum:g} points."


def _columns(service: Service, context: LinkedContext) -> str:
    found = line_items(service, context.lineitems_url, scope=reading(context.scopes))
    return f"{count_text(len(found), 'column')} of this tool in “{context}”."


def _launched(platform: Platform) -> Step:
    """Say whether somebody has come from there."""
    title = "A launch"
    if not platform.people.exists():
        return Step(
            title,
            None,
            "Nobody has come from there yet: click a link to Attest in a course. Only that tries issuer, "
            "client ID, deployment ID and authentication request URL; where one differs, the page that opens "
            "says which.",
        )
    return Step(title, True, f"{count_text(platform.people.count(), 'person', 'people')} came from there.")
