"""What launches need remembered, in the database: each change is one statement, in whichever process."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from attest.lti.registrations import Registration
from attest.lti.stores import State
from attest.portal.lms.models import LoginState, Platform, RegistrationInvitation, Ticket, UsedNonce


class Rows:
    """The Store of attest.lti, on the portal's tables."""

    def registrations(self, issuer: str, client_id: str | None) -> list[Registration]:
        """Those in use at this issuer; with a client_id, only that one."""
        found = Platform.objects.filter(issuer=issuer, is_active=True)
        if client_id is not None:
            found = found.filter(client_id=client_id)
        return [one.registration() for one in found]

    def registration(self, key: str) -> Registration | None:
        """The one with this key, if it is in use."""
        found = Platform.objects.filter(pk=int(key), is_active=True).first() if key.isdecimal() else None
        return found.registration() if found else None

    def keep_state(self, state: State) -> None:
        """Remember a login until its launch, or until it expires."""
        LoginState.objects.create(
            digest=digest_of(state.value),
            nonce=state.nonce,
            platform_id=int(state.registration_key),
            target_link_uri=state.target_link_uri,
            storage_target=state.storage_target,
            expires_at=moment(state.expires_at),
        )

    def look_at_state(self, value: str, now: float) -> State | None:
        """Return what `take_state` would give, and leave it there."""
        row = LoginState.objects.filter(digest=digest_of(value), expires_at__gt=moment(now)).first()
        return _state(value, row) if row else None

    def take_state(self, value: str, now: float) -> State | None:
        """Give up a state that has not expired. Of two who ask for one state, one gets it."""
        row = LoginState.objects.filter(digest=digest_of(value), expires_at__gt=moment(now)).first()
        if row is None or not LoginState.objects.filter(pk=row.pk).delete()[0]:
            return None
        return _state(value, row)

    def use_nonce(self, registration_key: str, nonce: str, expires_at: float) -> bool:
        """Remember a nonce until then, and say whether it is new."""
        try:
            with transaction.atomic():
                UsedNonce.objects.create(
                    platform_id=int(registration_key), digest=digest_of(nonce), expires_at=moment(expires_at)
                )
        except IntegrityError:
            return False
        return True


def _state(value: str, row: LoginState) -> State:
    return State(
        value=value,
        nonce=row.nonce,
        registration_key=str(row.platform_id),
        target_link_uri=row.target_link_uri,
        expires_at=row.expires_at.timestamp(),
        storage_target=row.storage_target,
    )


def digest_of(text: str) -> str:
    """Return the hash under which a secret is kept: it is random and long, so no slow one is needed."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def moment(seconds: float) -> datetime:
    """Return a time of attest.lti's as Django has it."""
    return datetime.fromtimestamp(seconds, UTC)


def forget_past_launches() -> int:
    """Remove what can be of no use any more; return how many rows."""
    now = timezone.now()
    kept = (LoginState, UsedNonce, Ticket, RegistrationInvitation)
    return sum(model.objects.filter(expires_at__lt=now).delete()[0] for model in kept)
