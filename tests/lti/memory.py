"""A store in memory: what attest.lti asks of one, for one process."""

from __future__ import annotations

import threading

from attest.lti.registrations import Registration
from attest.lti.stores import State


class MemoryStore:
    """Registrations that are given, and what launches leave behind."""

    def __init__(self, *registrations: Registration) -> None:
        self.known = {one.key: one for one in registrations}
        self.states: dict[str, State] = {}
        self.nonces: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def registrations(self, issuer: str, client_id: str | None) -> list[Registration]:
        found = [one for one in self.known.values() if one.issuer == issuer]
        return [one for one in found if client_id is None or one.client_id == client_id]

    def registration(self, key: str) -> Registration | None:
        return self.known.get(key)

    def keep_state(self, state: State) -> None:
        self.states[state.value] = state

    def look_at_state(self, value: str, now: float) -> State | None:
        state = self.states.get(value)
        return state if state is not None and state.expires_at > now else None

    def take_state(self, value: str, now: float) -> State | None:
        with self._lock:
            state = self.look_at_state(value, now)
            self.states.pop(value, None)
            return state

    def use_nonce(self, registration_key: str, nonce: str, expires_at: float) -> bool:
        with self._lock:
            if (registration_key, nonce) in self.nonces:
                return False
            self.nonces[registration_key, nonce] = expires_at
            return True
