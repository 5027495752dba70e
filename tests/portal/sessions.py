"""Sessions of people who have signed in, for browsers that did not."""

from __future__ import annotations

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from attest.portal.people.models import Person


def session_of(person: Person) -> str:
    """Sign somebody in, and return what their browser would keep."""
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "attest.portal.people.signing_in.ByEmail"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    assert session.session_key is not None
    return session.session_key
