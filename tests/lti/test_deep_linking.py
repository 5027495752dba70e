"""What an instructor chose, as the platform reads it with a library of others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import jwt
import pytest

from attest.lti.claims import DEEP_LINKING, Launch, read
from attest.lti.deep_linking import AssignmentLink, Window, response
from attest.lti.errors import Refused
from attest.lti.keys import OwnKey, new_key, public_jwks
from tests.lti.forging import ISSUER, LAUNCH_URL, MOODLE, NOW, claims_of, opened
from tests.lti.memory import MemoryStore

LTI, DL = "https://purl.imsglobal.org/spec/lti/claim/", "https://purl.imsglobal.org/spec/lti-dl/claim/"
MASKS = AssignmentLink("7", "Masks", LAUNCH_URL, 40)


@pytest.fixture(scope="module")
def key() -> OwnKey:
    return new_key(NOW)


def choice(**settings: Any) -> Launch:
    told = {"deep_link_return_url": f"{ISSUER}/return", "accept_types": ["ltiResourceLink"], **settings}
    begun = opened(MemoryStore(MOODLE))
    claims = claims_of(begun, message_type="LtiDeepLinkingRequest", **{DEEP_LINKING: told})
    return read(MOODLE.key, claims)


def answered(key: OwnKey, launch: Launch, *items: AssignmentLink) -> dict[str, Any]:
    """The claims, verified by PyJWT as the platform would: signature, audience and times."""
    token = response(key, MOODLE, launch, items, NOW)
    published = jwt.PyJWKSet.from_dict(public_jwks([key]))
    claims: dict[str, Any] = jwt.decode(
        token,
        published[jwt.get_unverified_header(token)["kid"]],
        algorithms=["RS256"],
        audience=ISSUER,
        issuer=MOODLE.client_id,
        options={"require": ["exp", "iat", "nonce"], "verify_exp": False, "verify_iat": False},
    )
    return claims


def test_the_answer_is_ours_to_the_platform(key: OwnKey) -> None:
    claims = answered(key, choice(data="op=321"), MASKS)

    assert claims[f"{LTI}message_type"] == "LtiDeepLinkingResponse"
    assert claims[f"{LTI}version"] == "1.3.0"
    assert claims[f"{LTI}deployment_id"] == "deployment-1"
    assert claims[f"{DL}data"] == "op=321"
    assert claims["iat"] < NOW < claims["exp"] <= NOW + 300


def test_data_that_was_not_sent_is_not_invented(key: OwnKey) -> None:
    assert f"{DL}data" not in answered(key, choice(), MASKS)


def test_a_link_says_which_assignment_it_is_and_how_many_points_it_has(key: OwnKey) -> None:
    assert answered(key, choice(), MASKS)[f"{DL}content_items"] == [
        {
            "type": "ltiResourceLink",
            "title": "Masks",
            "url": LAUNCH_URL,
            "custom": {"attest_assignment": "7"},
            "lineItem": {"label": "Masks", "scoreMaximum": 40, "resourceId": "7", "tag": "attest"},
        }
    ]


def test_a_link_says_when_it_is_open(key: OwnKey) -> None:
    begins = datetime(2027, 3, 1, 8, tzinfo=timezone(timedelta(hours=1)))
    ends = datetime(2027, 3, 8, 22, 59, 59, tzinfo=UTC)
    link = AssignmentLink(
        "7",
        "Masks",
        LAUNCH_URL,
        40,
        available=Window(begins=begins),
        submission=Window(begins, ends),
    )

    (item,) = answered(key, choice(), link)[f"{DL}content_items"]

    assert item["available"] == {"startDateTime": "2027-03-01T07:00:00Z"}
    assert item["submission"] == {
        "startDateTime": "2027-03-01T07:00:00Z",
        "endDateTime": "2027-03-08T22:59:59Z",
    }


def test_nothing_chosen_is_an_answer_too(key: OwnKey) -> None:
    for launch in (choice(), choice(accept_types=["html"])):
        assert answered(key, launch)[f"{DL}content_items"] == []


def test_a_platform_that_does_not_say_what_it_takes_is_sent_a_link(key: OwnKey) -> None:
    assert len(answered(key, choice(accept_types=None), MASKS)[f"{DL}content_items"]) == 1


def test_several_links_where_the_platform_takes_them(key: OwnKey) -> None:
    assert len(answered(key, choice(accept_multiple=True), MASKS, MASKS)[f"{DL}content_items"]) == 2


@pytest.mark.parametrize(
    ("settings", "items", "claim"),
    [
        ({"accept_multiple": False}, [MASKS, MASKS], "accept_multiple"),
        ({}, [MASKS, MASKS], "accept_multiple"),
        ({"accept_types": ["html", "file"]}, [MASKS], "accept_types"),
    ],
)
def test_what_the_platform_would_not_take_is_not_sent(
    key: OwnKey, settings: dict[str, Any], items: list[AssignmentLink], claim: str
) -> None:
    with pytest.raises(Refused) as error:
        response(key, MOODLE, choice(**settings), items, NOW)

    assert error.value.claim == claim


def test_a_launch_that_did_not_ask_gets_no_answer(key: OwnKey) -> None:
    launch = read(MOODLE.key, claims_of(opened(MemoryStore(MOODLE))))

    with pytest.raises(Refused):
        response(key, MOODLE, launch, [MASKS], NOW)


def test_no_two_answers_share_a_nonce(key: OwnKey) -> None:
    assert len({answered(key, choice(), MASKS)["nonce"] for _ in range(20)}) == 20
