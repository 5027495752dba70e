"""What launches need remembered: platforms, states that were begun, and nonces that were used.

The portal keeps it in its database; this module knows only what is asked of whoever keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from attest.lti.registrations import Registration


@dataclass(frozen=True)
class State:
    """A login that was begun and waits for its launch. Its value travels through the browser."""

    value: str
    nonce: str
    registration_key: str
    target_link_uri: str  # as the login named it; the launch must name the same
    expires_at: float  # seconds since the epoch
    storage_target: str = ""  # the frame that keeps data for us; empty where the platform offers none


class Store(Protocol):
    """What is remembered between two requests, for every process that answers them."""

    def registrations(self, issuer: str, client_id: str | None) -> list[Registration]:
        """Those in use at this issuer; with a client_id, only that one."""

    def registration(self, key: str) -> Registration | None:
        """The one with this key, if it is in use."""

    def keep_state(self, state: State) -> None:
        """Remember a login until its launch, or until it expires."""

    def look_at_state(self, value: str, now: float) -> State | None:
        """What `take_state` would give, and leave it there: platform storage is asked before the launch."""

    def take_state(self, value: str, now: float) -> State | None:
        """Give up a state that has not expired. Of two who ask for one state, one gets it."""

    def use_nonce(self, registration_key: str, nonce: str, expires_at: float) -> bool:
        """Remember a nonce until then, and say whether it is new: False where it was used before."""
