"""Our own keys: verified by a library of others, never told, and known to every platform before they sign."""

from __future__ import annotations

import json

import jwt
import pytest

from attest.lti.keys import OwnKey, new_key, public_jwks, rotated, sign, signing_key

NOW = 1_796_000_000.0
DAY = 86_400.0


def verified(token: str, document: dict[str, object]) -> dict[str, object]:
    """The claims of a token, as PyJWT reads it by this document."""
    keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(document).keys}  # type: ignore[arg-type]
    key = keys[jwt.get_unverified_header(token)["kid"]]
    read: dict[str, object] = jwt.decode(
        token,
        key,
        algorithms=["RS256"],
        options={"verify_exp": False, "verify_iat": False, "verify_aud": False},
    )
    return read


@pytest.fixture(scope="module")
def key() -> OwnKey:
    return new_key(NOW)


def test_another_library_verifies_what_we_sign(key: OwnKey) -> None:
    claims = {"iss": "client-1", "aud": "https://moodle.example", "iat": 1, "name": "Ünal 🎓"}

    assert verified(sign(key, claims), public_jwks([key])) == claims


def test_another_library_refuses_what_another_key_has_signed(key: OwnKey) -> None:
    other = new_key(NOW)
    stranger = OwnKey(key.kid, other.private_pem, NOW)

    with pytest.raises(jwt.InvalidSignatureError):
        verified(sign(stranger, {"iss": "client-1"}), public_jwks([key]))


def test_what_is_published_is_public(key: OwnKey) -> None:
    (published,) = public_jwks([key])["keys"]

    assert set(published) == {"kty", "n", "e", "kid", "use", "alg"}
    assert (published["kty"], published["use"], published["alg"]) == ("RSA", "sig", "RS256")


def test_a_private_key_is_in_no_log(key: OwnKey) -> None:
    assert "PRIVATE" in key.private_pem
    assert "PRIVATE" not in f"{key} {key!r} {[key]}"


def test_signing_leaves_the_claims_as_they_were(key: OwnKey) -> None:
    claims = {"iss": "client-1"}
    sign(key, claims)

    assert claims == {"iss": "client-1"}


def test_the_first_key_signs_at_once(key: OwnKey) -> None:
    assert signing_key([key], NOW) == key


def test_a_new_key_is_published_for_a_day_before_it_signs(key: OwnKey) -> None:
    newer = OwnKey("newer", key.private_pem, NOW + 100 * DAY)

    assert signing_key([key, newer], NOW + 100 * DAY) == key
    assert signing_key([newer, key], NOW + 101 * DAY - 1) == key
    assert signing_key([key, newer], NOW + 101 * DAY) == newer


def test_without_a_key_nothing_is_signed(key: OwnKey) -> None:
    retired = OwnKey("retired", key.private_pem, NOW, retired_at=NOW + 1)

    with pytest.raises(LookupError, match="new_key"):
        signing_key([retired], NOW + 2)


def test_over_two_years_every_platform_knows_the_key_that_signs() -> None:
    """A platform reads our document once a day; what was signed an hour ago is still to be verified."""
    keys: list[OwnKey] = []
    cached = yesterday = public_jwks([])
    used: list[str] = []
    for day in range(730):
        now = NOW + day * DAY
        keys = rotated(keys, now)
        signs = signing_key(keys, now)
        yesterday, cached = cached, public_jwks(keys)
        known = {key["kid"] for key in (yesterday if day else cached)["keys"]}
        assert signs.kid in known, f"day {day}"
        assert used[-1:] == [] or used[-1] in {key["kid"] for key in cached["keys"]}
        assert len(keys) <= 3
        used.append(signs.kid)

    assert len(set(used)) == 9  # a new one every 90 days
    assert json.dumps(cached)


def test_keys_that_are_in_order_stay_as_they_are(key: OwnKey) -> None:
    assert rotated([key], NOW + 89 * DAY) == [key]


def test_a_retired_key_is_published_for_a_week(key: OwnKey) -> None:
    newer = OwnKey("newer", key.private_pem, NOW + 90 * DAY)
    after = rotated([key, newer], NOW + 91 * DAY)

    assert [(one.kid, one.retired_at) for one in after] == [(key.kid, NOW + 91 * DAY), ("newer", None)]
    assert [one.kid for one in rotated(after, NOW + 98 * DAY - 1)] == [key.kid, "newer"]
    assert [one.kid for one in rotated(after, NOW + 98 * DAY)] == ["newer"]
