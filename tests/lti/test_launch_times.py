"""When a launch was made and until when it counts: two clocks may differ by a minute, and no more."""

from __future__ import annotations

import pytest

from tests.lti.forging import MOODLE, NOW, claims_of, launched, opened, refused, signed
from tests.lti.memory import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(MOODLE)


@pytest.mark.parametrize("late", [0, 59.5, 119])
def test_a_platform_whose_clock_is_behind(store: MemoryStore, late: float) -> None:
    """Its tokens end after 60 s, and 60 s are allowed for clocks."""
    begun = opened(store)

    assert launched(store, begun, signed(claims_of(begun)), now=NOW + late).subject == "2"


@pytest.mark.parametrize("late", [120, 121, 299])
def test_a_launch_that_has_expired(store: MemoryStore, late: float) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun)), begun=begun, now=NOW + late) == "exp"


@pytest.mark.parametrize(("name", "claim"), [("iat", "iat"), ("nbf", "nbf")])
def test_a_launch_from_the_future(store: MemoryStore, name: str, claim: str) -> None:
    begun = opened(store)
    told = {"exp": NOW + 600, name: NOW + 60}
    assert launched(store, begun, signed(claims_of(begun, **told))).subject == "2"

    begun = opened(store)
    told[name] = NOW + 61
    assert refused(store, signed(claims_of(begun, **told)), begun=begun) == claim


def test_the_leeway_can_be_set(store: MemoryStore) -> None:
    begun = opened(store)
    assert refused(store, signed(claims_of(begun)), begun=begun, now=NOW + 60, leeway=0) == "exp"

    begun = opened(store)
    assert launched(store, begun, signed(claims_of(begun)), now=NOW + 250, leeway=200).subject == "2"


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
@pytest.mark.parametrize(
    "told", ["1796000000", True, [], {}, float("nan"), float("inf"), -1, 10**400, "soon"]
)
def test_a_time_that_is_none(store: MemoryStore, name: str, told: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, **{name: told})), begun=begun) == name


@pytest.mark.parametrize("name", ["exp", "iat", "nonce"])
def test_what_a_token_must_have(store: MemoryStore, name: str) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, **{name: None})), begun=begun) == name


def test_a_token_that_would_be_good_for_years(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, exp=int(NOW) + 86_401)), begun=begun) == "exp"
