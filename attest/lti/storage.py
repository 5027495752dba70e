"""Keeping the state of a login in the platform's own window, for browsers that keep no cookie in a frame.

The page's script posts `lti.put_data` at the login and `lti.get_data` at the launch, to the frame that the
platform named, and believes an answer only from the origin of the platform's login address: a page that
frames us in the platform's place cannot answer.

Source: 1EdTech LTI postMessage Storage 0.1; LTI OIDC Login with LTI Client Side postMessages 0.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attest.lti.login import Begun
from attest.lti.members import origin
from attest.lti.stores import Store

PARENT = "_parent"  # the window itself, and no frame in it


@dataclass(frozen=True)
class Kept:
    """One entry in the platform's storage, and the only place where it may be."""

    frame: str  # a frame in the parent or opener; PARENT is that window itself
    origin: str  # messages go to this origin only, and answers count from it only
    key: str
    value: str = ""  # empty where it is asked for


def to_keep(begun: Begun) -> Kept | None:
    """Return what the page of a login stores; None where the platform offers no storage."""
    if not begun.state.storage_target:
        return None
    at = origin(begun.registration.auth_login_url)
    return Kept(begun.state.storage_target, at, _key(begun.state.value), begun.state.value)


def to_ask(store: Store, form: Mapping[str, str], now: float) -> Kept | None:
    """Return what the page of a launch that came without its cookie asks for; None: there is nowhere to ask.

    The state stays where it is: the launch is finished with what the storage answers.
    """
    state = store.look_at_state(form.get("state", ""), now)
    if state is None or not state.storage_target:
        return None
    registration = store.registration(state.registration_key)
    if registration is None:
        return None
    return Kept(state.storage_target, origin(registration.auth_login_url), _key(state.value))


def _key(state: str) -> str:
    return f"attest_lti_state_{state[:16]}"
