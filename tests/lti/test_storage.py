"""The state in the platform's own storage: where it is put, and whose answer counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attest.lti.errors import Refused
from attest.lti.storage import Kept, to_ask, to_keep
from tests.lti.forging import MOODLE, NOW, claims_of, launched, opened, signed
from tests.lti.memory import MemoryStore

AT = replace(MOODLE, auth_login_url="https://sso.moodle.example:8443/auth?tenant=7")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(AT)


def test_the_state_is_kept_at_the_login_addresss_origin(store: MemoryStore) -> None:
    begun = opened(store, AT, lti_storage_target="_parent")

    kept = to_keep(begun)

    assert kept is not None
    assert (kept.frame, kept.origin, kept.value) == (
        "_parent",
        "https://sso.moodle.example:8443",
        begun.state.value,
    )


def test_the_launch_asks_for_what_the_login_kept(store: MemoryStore) -> None:
    begun = opened(store, AT, lti_storage_target="lti_storage")
    kept = to_keep(begun)
    assert kept is not None

    asks = to_ask(store, {"state": begun.state.value}, NOW)

    assert asks == Kept(kept.frame, kept.origin, kept.key)
    token = signed(claims_of(begun))
    assert launched(store, begun, token, browser=kept.value).subject == "2"


def test_two_logins_have_two_places(store: MemoryStore) -> None:
    one, other = (to_keep(opened(store, AT, lti_storage_target="_parent")) for _ in range(2))

    assert one is not None
    assert other is not None
    assert one.key != other.key


def test_a_platform_without_storage_is_not_asked(store: MemoryStore) -> None:
    begun = opened(store, AT)

    assert to_keep(begun) is None
    assert to_ask(store, {"state": begun.state.value}, NOW) is None


@pytest.mark.parametrize("form", [{}, {"state": ""}, {"state": "invented"}])
def test_for_a_state_that_nobody_began_there_is_nothing_to_ask(
    store: MemoryStore, form: dict[str, str]
) -> None:
    assert to_ask(store, form, NOW) is None


def test_nothing_is_asked_for_a_login_that_is_over(store: MemoryStore) -> None:
    begun = opened(store, AT, lti_storage_target="_parent")
    form = {"state": begun.state.value}

    assert to_ask(store, form, NOW + 300) is None
    launched(store, begun, signed(claims_of(begun)))
    assert to_ask(store, form, NOW) is None


def test_nothing_is_asked_of_a_platform_that_was_taken_out(store: MemoryStore) -> None:
    begun = opened(store, AT, lti_storage_target="_parent")
    store.known.clear()

    assert to_ask(store, {"state": begun.state.value}, NOW) is None


def test_a_storage_that_does_not_know_the_state_ends_the_launch(store: MemoryStore) -> None:
    """A victim's browser, to which somebody slips a launch, has no such entry."""
    begun = opened(store, AT, lti_storage_target="_parent")

    with pytest.raises(Refused, match="another browser"):
        launched(store, begun, signed(claims_of(begun)), browser="")
