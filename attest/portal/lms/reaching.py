"""How this process asks platforms, and what it keeps of their answers."""

from __future__ import annotations

import time
from functools import cache

from django.conf import settings

from attest.lti.platform_keys import PlatformKeys
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from attest.portal.lms.models import Platform
from attest.portal.lms.own_keys import own_signing_key


@cache
def web() -> Web:
    """Return how platforms are asked."""
    return Web(allow_private=settings.CONFIGURATION.private_platforms)


@cache
def platform_keys() -> PlatformKeys:
    """Return the platforms' keys, kept by this process."""
    return PlatformKeys(web())


@cache
def tokens() -> Tokens:
    """Return access tokens for platforms' services, kept by this process."""
    return Tokens(web(), lambda: own_signing_key(time.time()))


def service(platform: Platform) -> Service:
    """Return a platform's services."""
    return Service(web(), tokens(), platform.registration())
