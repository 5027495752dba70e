"""A platform sends somebody to us, and we send them back to it with a question: the login of OpenID Connect.

Source: 1EdTech Security Framework 1.0, section 5.1.1.1 and 5.1.1.2.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from attest.lti.cookies import SECONDS
from attest.lti.errors import Refused
from attest.lti.members import origin, parsed
from attest.lti.registrations import Registration
from attest.lti.stores import State, Store
from reports.visible_text import one_line

_LONGEST = 6000  # characters of one parameter: Canvas's hint is a JWT
_FRAME = re.compile(r"[\w.:-]{1,100}", re.ASCII)


@dataclass(frozen=True)
class Begun:
    """A login that was begun: where the browser goes, and what was remembered."""

    redirect_url: str
    state: State
    registration: Registration


def begin(store: Store, parameters: Mapping[str, str], *, launch_url: str, now: float) -> Begun:
    """Answer a login that a platform initiates; `launch_url` is where its launch shall come.

    Raises:
        Refused: the platform is not known, or a parameter is missing or leads away from us.
    """
    issuer = _needed(parameters, "iss")
    login_hint = _needed(parameters, "login_hint")
    target = _needed(parameters, "target_link_uri")
    if not is_under(target, launch_url):
        raise Refused(
            "target_link_uri",
            f"the target {one_line(target, 200)!r} is not an address under {origin(launch_url)}.",
        )
    registration = _registration(store, issuer, parameters)
    state = State(
        value=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        registration_key=registration.key,
        target_link_uri=target,
        expires_at=now + SECONDS,
        storage_target=_frame(parameters),
    )
    question = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": registration.client_id,
        "redirect_uri": launch_url,
        "login_hint": login_hint,
        "state": state.value,
        "nonce": state.nonce,
    }
    if hint := _bounded(parameters, "lti_message_hint"):
        question["lti_message_hint"] = hint
    store.keep_state(state)
    joint = "&" if "?" in registration.auth_login_url else "?"
    return Begun(f"{registration.auth_login_url}{joint}{urlencode(question)}", state, registration)


def is_under(url: str, own: str) -> bool:
    """Say whether an address has our scheme, host and port, whoever reads it."""
    return parsed(url) is not None and origin(url) == origin(own)


def _registration(store: Store, issuer: str, parameters: Mapping[str, str]) -> Registration:
    client_id = _bounded(parameters, "client_id") or None
    found = store.registrations(issuer, client_id)
    deployment = _bounded(parameters, "lti_deployment_id")
    if deployment:
        knowing = [
            one for one in found if one.deployment_ids is not None and deployment in one.deployment_ids
        ]
        found = knowing or [one for one in found if one.deployment_ids is None] or found
    if len(found) == 1:
        return found[0]
    said = one_line(issuer, 200)
    if not found:
        of = f" with the client id {one_line(client_id, 100)!r}" if client_id else ""
        raise Refused("iss", f"no platform {said!r}{of} is registered here.")
    raise Refused(
        "client_id",
        f"{len(found)} registrations are known of {said!r}, and the login has no client_id that says which.",
    )


def _frame(parameters: Mapping[str, str]) -> str:
    named = parameters.get("lti_storage_target", "")
    return named if _FRAME.fullmatch(named) else ""


def _needed(parameters: Mapping[str, str], name: str) -> str:
    value = _bounded(parameters, name)
    if not value:
        raise Refused(name, f"the login has no {name}.")
    return value


def _bounded(parameters: Mapping[str, str], name: str) -> str:
    value = parameters.get(name, "")
    if len(value) > _LONGEST:
        raise Refused(name, f"{name} has {len(value):,} characters, expected at most {_LONGEST:,}.")
    return value
