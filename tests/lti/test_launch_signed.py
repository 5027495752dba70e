"""Who signed a launch, and how: a token that the platform's own key has not signed is nobody's word."""

from __future__ import annotations

import pytest

from attest.lti.errors import Refused
from tests.lti.forging import (
    MOODLE,
    claims_of,
    launched,
    opened,
    refused,
    signed,
    signed_by_public_key,
    unsigned,
)
from tests.lti.memory import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(MOODLE)


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", ""])
def test_a_token_that_nobody_signed(store: MemoryStore, algorithm: str) -> None:
    begun = opened(store)

    assert refused(store, unsigned(claims_of(begun), algorithm), begun=begun) == "alg"


def test_a_token_that_claims_our_algorithm_and_has_no_signature(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, unsigned(claims_of(begun), "RS256"), begun=begun) == "signature"


def test_a_token_whose_secret_is_the_public_key(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed_by_public_key(claims_of(begun)), begun=begun) == "alg"


@pytest.mark.parametrize("algorithm", ["RS384", "PS256", "ES256", "HS256", "EdDSA", ["RS256"], None, 256])
def test_an_algorithm_that_is_not_on_the_list(store: MemoryStore, algorithm: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), alg=algorithm), begun=begun) == "alg"


def test_a_stranger_who_signs_as_the_platform(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), by="stranger", kid="platform"), begun=begun) == "signature"


def test_a_key_that_the_platform_does_not_publish(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), by="stranger"), begun=begun) == "kid"


@pytest.mark.parametrize("kid", [None, "", 7, ["platform"], {"platform": 1}])
def test_a_token_that_names_no_key(store: MemoryStore, kid: object) -> None:
    begun = opened(store)

    with pytest.raises(Refused, match="does not say which key"):
        launched(store, begun, signed(claims_of(begun), kid=kid))


def test_a_key_that_the_token_brings_with_it(store: MemoryStore) -> None:
    begun = opened(store)
    brought = {"jwk": {"kty": "RSA"}, "jku": "https://evil.example/keys", "x5u": "https://evil.example/cert"}

    assert (
        refused(store, signed(claims_of(begun), by="stranger", kid="platform", **brought), begun=begun)
        == "signature"
    )


def test_extensions_that_must_be_understood(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), crit=["b64"], b64=False), begun=begun) == "crit"
    begun = opened(store)
    assert refused(store, signed(claims_of(begun), crit=7), begun=begun) == "crit"


def test_a_header_that_only_says_more_is_no_fault(store: MemoryStore) -> None:
    begun = opened(store)

    token = signed(claims_of(begun), x5c=["A" * 4000], tenant="school")

    assert launched(store, begun, token).subject == "2"


def test_claims_that_were_changed_after_signing(store: MemoryStore) -> None:
    begun = opened(store)
    header, _, signature = signed(claims_of(begun)).split(".")
    _, payload, _ = signed(claims_of(begun, sub="teacher"), by="stranger").split(".")

    assert refused(store, f"{header}.{payload}.{signature}", begun=begun) == "signature"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "a.b",
        "a.b.c",
        "a.b.c.d.e",
        "....",
        "bnVsbA.e30.",  # null
        "WyJhbGciXQ.e30.",  # ["alg"]
        "NQ.e30.",  # 5
        "é.é.é",
        "\ud800.e30.",
        "\x00",
        "W1tb" * 3000 + ".e30.",  # a list in a list in a list …
        "x" * 100_001,
    ],
)
def test_what_is_no_token(store: MemoryStore, token: str) -> None:
    assert refused(store, token) == "id_token"


@pytest.mark.parametrize(
    ("token", "said"),
    [("", "has no id_token"), ("x" * 100_001, "at most 100,000 are read"), ("x", "three parts")],
)
def test_what_is_no_token_is_told_apart(store: MemoryStore, token: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        launched(store, opened(store), token)


@pytest.mark.parametrize("cut", [1, 2, 4, 5])
def test_a_token_of_another_number_of_parts(store: MemoryStore, cut: int) -> None:
    begun = opened(store)
    parts = [*signed(claims_of(begun)).split("."), "e30", "e30"][:cut]

    assert refused(store, ".".join(parts), begun=begun) == "id_token"
