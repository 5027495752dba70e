"""How this process asks platforms, and what it keeps of their answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from django.conf import settings

from attest.lti.platform_keys import PlatformKeys
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from attest.portal.lms.models import Platform
from attest.portal.lms.own_keys import own_signing_key

Made = TypeVar("Made")


class Once(Generic[Made]):
    """What is made when it is first needed, by one of the threads that need it: each would ask for itself."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: Made | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Made:
        """Return it."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def cache_clear(self) -> None:
        """Have it made anew."""
        self._made = None


@Once
def web() -> Web:
    """Return how platforms are asked."""
    return Web(allow_private=settings.CONFIGURATION.private_platforms)


def web_while_somebody_waits() -> Web:
    """Return how platforms are asked by a page: it holds one of the places that all pages have together."""
    return replace(web(), total_seconds=10.0)


@Once
def platform_keys() -> PlatformKeys:
    """Return the platforms' keys, kept by this process."""
    return PlatformKeys(web_while_somebody_waits())


@Once
def tokens() -> Tokens:
    """Return access tokens for platforms' services, kept by this process."""
    return Tokens(web(), lambda: own_signing_key(time.time()))


def service(platform: Platform) -> Service:
    """Return a platform's services."""
    return Service(web(), tokens(), platform.registration())
