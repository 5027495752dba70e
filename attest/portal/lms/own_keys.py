"""The portal's own keys in the database: made when the first portal starts, changed when it is time."""

from __future__ import annotations

from attest.lti.keys import OwnKey, rotated, signing_key
from attest.portal.lms.models import OwnKeyRow


def own_keys(now: float) -> list[OwnKey]:
    """Return the keys as they should be now, and keep what changed."""
    rows = list(OwnKeyRow.objects.all())
    before = {row.kid: OwnKey(row.kid, row.private_pem, row.made_at, row.retired_at) for row in rows}
    after = rotated(before.values(), now)
    for key in after:
        if before.get(key.kid) != key:
            known = {"private_pem": key.private_pem, "made_at": key.made_at, "retired_at": key.retired_at}
            OwnKeyRow.objects.update_or_create(kid=key.kid, defaults=known)
    OwnKeyRow.objects.filter(kid__in=set(before) - {key.kid for key in after}).delete()
    return after


def own_signing_key(now: float) -> OwnKey:
    """Return the key that signs now."""
    return signing_key(own_keys(now), now)
