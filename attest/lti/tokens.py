"""Access tokens for a platform's services, by the client credentials grant with a signed assertion.

Source: 1EdTech Security Framework 1.0, section 4; RFC 7523.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from urllib.parse import urlencode

from attest.lti.answers import checked
from attest.lti.errors import Answered, Unreachable
from attest.lti.keys import OwnKey, sign
from attest.lti.registrations import Registration
from attest.lti.web import Web, bare

_GRANT = "client_credentials"
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_BEFORE = 10.0  # seconds that `iat` lies in the past: Moodle refuses what its clock has not reached
_VALID = 300.0
_EARLY = 60.0  # before its end a token is not used any more
_LONGEST = 24 * 3600.0
_USUAL = 3600.0  # for a platform that does not say
_TOKEN = re.compile(r"[\x21-\x7e]{1,16000}")

_Wanted = tuple[str, str, str, str]  # registration, client, address and scopes


class Tokens:
    """Tokens by registration, client and scopes, each asked for once while it is valid.

    Safe to share between threads. `key` gives our key that signs now.
    """

    def __init__(
        self,
        web: Web,
        key: Callable[[], OwnKey],
        *,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._web = web
        self._key = key
        self._clock = clock  # what platforms are told of the time
        self._timer = timer  # how long tokens are kept, whatever the clock does meanwhile
        self._kept: dict[_Wanted, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def token(self, registration: Registration, scopes: Iterable[str]) -> str:
        """Return a token for exactly these scopes. Raises `Answered` or `Unreachable`."""
        wanted = _wanted(registration, scopes)
        now = self._timer()
        with self._lock:
            token, until = self._kept.get(wanted, ("", 0.0))
        if now < until:
            return token
        token, seconds = self._ask(registration, wanted[-1], self._clock())
        with self._lock:
            self._kept = {key: kept for key, kept in self._kept.items() if now < kept[1]}
            self._kept[wanted] = token, now + max(seconds - _EARLY, seconds / 2)
        return token

    def forget(self, registration: Registration, scopes: Iterable[str], token: str) -> None:
        """Drop a token that a service did not accept, unless another has taken its place."""
        wanted = _wanted(registration, scopes)
        with self._lock:
            if self._kept.get(wanted, ("", 0.0))[0] == token:
                del self._kept[wanted]

    def _ask(self, registration: Registration, scope: str, now: float) -> tuple[str, float]:
        url = registration.auth_token_url
        claims = {
            "iss": registration.client_id,
            "sub": registration.client_id,
            "aud": registration.token_audience or url,
            "iat": int(now - _BEFORE),
            "exp": int(now + _VALID),
            "jti": secrets.token_urlsafe(24),
        }
        form = {
            "grant_type": _GRANT,
            "client_assertion_type": _ASSERTION,
            "client_assertion": sign(self._key(), claims),
            "scope": scope,
        }
        reply = self._web.request(
            "POST",
            url,
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
            body=urlencode(form).encode(),
        )
        try:
            found = checked(reply, f"Asking {bare(url)} for an access token", now=now).json()
        except Answered as error:
            # It says that the registration is not right yet, and nothing of what the token was for.
            error.final = False
            raise
        token = found.get("access_token") if isinstance(found, dict) else None
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise Unreachable(f"{url} answered without an access token that can be used.")
        return token, _seconds(found.get("expires_in"))


def _wanted(registration: Registration, scopes: Iterable[str]) -> _Wanted:
    scope = " ".join(sorted(set(scopes)))
    return registration.key, registration.client_id, registration.auth_token_url, scope


def _seconds(found: object) -> float:
    """Return for how long a token is valid; some platforms write the number as a text."""
    try:
        seconds = float(str(found))
    except ValueError:
        return _USUAL
    return min(seconds, _LONGEST) if seconds > 0 else _USUAL
