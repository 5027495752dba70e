"""A launch: the platform's answer to our question, and every check that it must pass.

Each login allows one launch: its state is given up by the first that names it, in the browser that began it.
What fails is refused with the name of the claim, so that an administrator can say what to mend.

Source: 1EdTech Security Framework 1.0, 5.1.1.3 to 5.1.1.5 and 5.1.3; OpenID Connect Core 1.0, 3.1.3.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import Any, Protocol
from urllib.parse import urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry
from joserfc.util import json_b64decode

from attest.lti import claims as lti_claims
from attest.lti.claims import Launch
from attest.lti.errors import Refused
from attest.lti.keys import ALGORITHM
from attest.lti.members import Members, origin
from attest.lti.registrations import Registration
from attest.lti.stores import State, Store
from reports.visible_text import one_line

LEEWAY = 60.0  # seconds that two clocks may differ
_LONGEST_LIFE = 24 * 3600.0  # of a token: its nonce is remembered as long
_LONGEST_TOKEN = 100_000  # characters


class PlatformKeySource(Protocol):
    """Where a platform's public keys are found: `PlatformKeys`."""

    def key_for(self, registration: Registration, kid: str) -> RSAKey:
        """The key of this name; Refused where the platform has none."""


class PlatformError(Refused):
    """The platform answered our question with an error of OpenID Connect; `code` is its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__("error", message)
        self.code = code


class NotKept(Refused):
    """The browser has kept nothing of the login: cookies are blocked, for the frame or altogether."""

    def __init__(self) -> None:
        super().__init__("state", "the browser did not keep this login: it sent no cookie.")


class _Tokens(JWSRegistry):
    max_header_length = 8192  # some platforms put their certificate into it
    max_payload_length = _LONGEST_TOKEN


_TOKENS = _Tokens(algorithms=[ALGORITHM], strict_check_header=False)


def finish(
    store: Store,
    keys: PlatformKeySource,
    form: Mapping[str, str],
    *,
    state_from_browser: str | None,
    now: float,
    leeway: float = LEEWAY,
) -> Launch:
    """Return the launch in this form, checked.

    Args:
        form: what the platform had the browser post: state, and id_token or error.
        state_from_browser: the state as the cookie, or the platform's storage, has kept it.

    Raises:
        PlatformError: the platform says why there is no launch.
        Refused: the launch is not to be trusted.
        Unreachable: the platform's keys cannot be had.
    """
    state = _state(store, form, state_from_browser, now)
    if form.get("error"):
        raise _platform_error(form)
    registration = store.registration(state.registration_key)
    if registration is None:
        raise Refused("iss", "the platform of this login is no longer registered here.")
    told = _verified(keys, registration, form.get("id_token", ""))
    _check_parties(registration, told)
    expires = _check_times(told, now, leeway)
    nonce = told.get("nonce")
    if not isinstance(nonce, str) or not _same(nonce, state.nonce):
        raise Refused("nonce", "the nonce is not the one that this login asked with.")
    if not store.use_nonce(registration.key, nonce, expires + leeway):
        raise Refused("nonce", "this launch was used before. Open the link in the course again.")
    launch = lti_claims.read(registration.key, told)
    _check_deployment(registration, launch)
    _check_target(state, launch)
    return launch


def _state(store: Store, form: Mapping[str, str], from_browser: str | None, now: float) -> State:
    value = form.get("state", "")
    if not value:
        raise Refused("state", "the launch has no state.")
    if from_browser is None:
        raise NotKept
    if not _same(value, from_browser):
        raise Refused("state", "the launch belongs to another browser's login.")
    state = store.take_state(value, now)
    if state is None:
        raise Refused("state", "this login is over: it was used, or is too old. Open the link again.")
    return state


def _platform_error(form: Mapping[str, str]) -> PlatformError:
    code = one_line(form["error"], 60)
    described = one_line(form.get("error_description", ""), 300)
    return PlatformError(code, f"the platform answered {code!r}" + (f": {described}" if described else "."))


def _verified(keys: PlatformKeySource, registration: Registration, token: str) -> Members:
    """Return the claims of a token that this platform signed; nothing in it is looked at before that."""
    if not token:
        raise Refused("id_token", "the launch has no id_token.")
    if len(token) > _LONGEST_TOKEN:
        raise Refused(
            "id_token", f"the id_token has {len(token):,} characters, at most {_LONGEST_TOKEN:,} are read."
        )
    header = _header(token)
    if header.get("alg") != ALGORITHM:
        raise Refused("alg", f"the id_token is signed by {header.get('alg')!r:.40}, expected {ALGORITHM!r}.")
    if "crit" in header:
        raise Refused("crit", "the id_token asks for extensions by crit; none is known here.")
    kid = header.get("kid")
    if not isinstance(kid, str) or not kid:
        raise Refused("kid", "the id_token does not say which key signed it: its header has no kid.")
    key = keys.key_for(registration, kid)
    try:
        return jwt.decode(token, key, registry=_TOKENS).claims
    except (JoseError, ValueError, RecursionError) as error:
        raise Refused(
            "signature", f"the id_token is not signed by the platform's key {kid!r:.80}."
        ) from error


def _header(token: str) -> dict[str, Any]:
    first, *rest = token.split(".")
    try:
        header = json_b64decode(first.encode())
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or len(rest) != 2:
        raise Refused("id_token", "the id_token is not a signed JWT of three parts.")
    return header


def _check_parties(registration: Registration, told: Members) -> None:
    if told.get("iss") != registration.issuer:
        raise Refused("iss", f"the issuer is {told.get('iss')!r:.200}, expected {registration.issuer!r}.")
    audience = told.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if registration.client_id not in audiences:
        raise Refused("aud", f"the launch is for {audience!r:.200}, expected {registration.client_id!r}.")
    authorised = told.get("azp")
    if authorised is None and len(audiences) > 1:
        raise Refused(
            "azp", f"the launch is for {len(audiences)} clients, and azp, which says whose it is, is missing."
        )
    if authorised is not None and authorised != registration.client_id:
        raise Refused(
            "azp", f"the launch was made for {authorised!r:.200}, expected {registration.client_id!r}."
        )


def _check_times(told: Members, now: float, leeway: float) -> float:
    """Return when the token ends."""
    expires, issued = _seconds(told, "exp"), _seconds(told, "iat")
    if expires <= now - leeway:
        raise Refused(
            "exp",
            f"this launch is too old: it ended {_span(now - expires)} ago by the clock of this machine.",
        )
    if issued > now + leeway:
        raise Refused(
            "iat", f"this launch was made {_span(issued - now)} ahead of the clock of this machine."
        )
    if "nbf" in told and _seconds(told, "nbf") > now + leeway:
        ahead = _span(_seconds(told, "nbf") - now)
        raise Refused("nbf", f"this launch counts only in {ahead} by the clock of this machine.")
    if expires - issued > _LONGEST_LIFE:
        raise Refused(
            "exp", f"the launch is good for {(expires - issued) / 3600:,.0f} hours, expected at most 24."
        )
    return expires


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


def _seconds(told: Members, name: str) -> float:
    found = told.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 1e11:
        raise Refused(name, f"{name} is {one_line(repr(found), 60)}, expected seconds since 1970.")
    return float(found)


def _check_deployment(registration: Registration, launch: Launch) -> None:
    known = registration.deployment_ids
    if known is not None and launch.deployment_id not in known:
        raise Refused("deployment_id", f"the deployment {launch.deployment_id!r} is not registered here.")


def _check_target(state: State, launch: Launch) -> None:
    if _address(launch.target_link_uri) != _address(state.target_link_uri):
        raise Refused(
            "target_link_uri",
            f"the launch leads to {launch.target_link_uri!r}, its login to {state.target_link_uri!r}.",
        )


def _address(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return origin(url), parts.path or "/", parts.query


def _same(one: str, other: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
