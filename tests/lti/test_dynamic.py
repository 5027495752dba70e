"""Registering with a platform over real HTTP, by the address that its administrator gave us."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from attest.lti.dynamic import SCOPES, TOOL, Registered, Tool, register
from attest.lti.errors import Refused, Unreachable
from attest.lti.web import Web
from tests.lti.platform import Platform, faults

OURS = "https://attest.example"
TOOL_OF_OURS = Tool(
    name="Attest",
    description="Grades exercises on attention.",
    url=OURS,
    login_url=f"{OURS}/lti/login",
    launch_url=f"{OURS}/lti/launch",
    jwks_url=f"{OURS}/lti/jwks.json",
)
WEB = Web(allow_private=True, read_seconds=2, total_seconds=5)


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform("moodle") as platform:
        yield platform


def registered(platform: Platform, **changed: str) -> Registered:
    parameters = {**platform.registering.parameters(), **changed}
    return register(WEB, parameters["openid_configuration"], parameters["registration_token"], TOOL_OF_OURS)


def describing(platform: Platform, **changed: Any) -> None:
    """Let the platform describe itself with these members changed; None leaves one out."""
    told = {**platform.registering.configuration(), **changed}
    told = {name: value for name, value in told.items() if value is not None}
    platform.broken["openid"] = faults.answer(told)


@pytest.mark.parametrize("mode", ["moodle", "canvas", "blackboard", "brightspace"])
def test_the_platform_is_known_by_what_it_says_of_itself(mode: str) -> None:
    with Platform(mode) as platform:
        agreed = registered(platform)

    (client_id,) = platform.tools
    assert agreed.issuer == platform.issuer
    assert agreed.client_id == client_id
    assert agreed.auth_login_url == f"{platform.url}/auth"
    assert agreed.auth_token_url == f"{platform.url}/token"
    assert agreed.jwks_url == f"{platform.url}/jwks"
    assert agreed.deployment_ids == set(platform.tools[client_id].deployments)
    assert agreed.family == mode
    assert agreed.token_audience == (platform.tokens.audience if mode == "brightspace" else "")


def test_the_platform_learns_where_we_are(platform: Platform) -> None:
    registered(platform)

    (tool,) = platform.tools.values()
    assert tool.login_url == f"{OURS}/lti/login"
    assert tool.redirect_urls == [f"{OURS}/lti/launch"]
    assert tool.jwks == f"{OURS}/lti/jwks.json"
    assert tool.deep_linking_url == f"{OURS}/lti/launch"


@pytest.mark.parametrize("mode", ["canvas", "moodle"])
def test_canvas_alone_learns_where_to_show_us_and_that_names_are_needed(mode: str) -> None:
    with Platform(mode) as platform:
        asked: list[Any] = []
        take = platform.registering.register

        def watched(headers: Any, body: bytes) -> Any:
            asked.append(json.loads(body)[TOOL])
            return take(headers, body)

        platform.registering.register = watched  # type: ignore[method-assign]
        registered(platform)

    (told,) = asked
    placements = [one.get("placements") for one in told["messages"]]
    shown = ["assignment_selection", "link_selection"] if mode == "canvas" else None
    assert placements == [None, shown]
    level = told.get("https://canvas.instructure.com/lti/privacy_level")
    assert level == ("public" if mode == "canvas" else None)


def test_we_ask_for_the_scopes_that_the_platform_has(platform: Platform) -> None:
    asked: list[bytes] = []
    take = platform.registering.register

    def watched(headers: Any, body: bytes) -> Any:
        asked.append(body)
        return take(headers, body)

    platform.registering.register = watched  # type: ignore[method-assign]
    describing(platform, scopes_supported=["openid", SCOPES[2]])
    registered(platform)
    describing(platform, scopes_supported=None)
    registered(platform)

    scopes = [json.loads(body)["scope"].split() for body in asked]
    assert scopes == [[SCOPES[2]], list(SCOPES)]
    assert json.loads(asked[0])[TOOL]["domain"] == "attest.example"


def test_a_token_opens_one_registration(platform: Platform) -> None:
    parameters = platform.registering.parameters()
    registered(platform, **parameters)

    with pytest.raises(Unreachable, match=r"/register answered 401"):
        registered(platform, **parameters)


@pytest.mark.parametrize(
    "name", ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "registration_endpoint"]
)
@pytest.mark.parametrize("told", [None, "", "javascript:alert(1)", 7, "/auth", "ftp://school.example/"])
def test_a_description_without_an_address_is_refused_by_its_name(
    platform: Platform, name: str, told: object
) -> None:
    describing(platform, **{name: told})

    with pytest.raises(Refused) as error:
        registered(platform)

    assert error.value.claim == name
    assert platform.tools == {}


@pytest.mark.parametrize(
    "issuer",
    ["https://moodle.school.example", "http://127.0.0.2", "https://canvas.instructure.com", "https://0.0.1"],
)
def test_a_description_that_speaks_for_somebody_else_is_refused(platform: Platform, issuer: str) -> None:
    describing(platform, issuer=issuer)

    with pytest.raises(Refused, match="another host") as error:
        registered(platform)

    assert error.value.claim == "issuer"
    assert platform.tools == {}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (faults.answer(b"<html>Sign in</html>", content_type="text/html"), "JSON was expected"),
        (faults.answer(b"", 404), "answered 404"),
        (faults.answer([1, 2]), "object of JSON"),
        (faults.redirect("http://169.254.169.254/latest/meta-data"), "private network"),
        (faults.endless(), "more than"),
    ],
)
def test_a_description_that_cannot_be_had(platform: Platform, fault: faults.Fault, said: str) -> None:
    platform.broken["openid"] = fault

    with pytest.raises(Unreachable, match=said):
        registered(platform)


def test_an_answer_without_a_client_id_is_no_registration(platform: Platform) -> None:
    platform.broken["register"] = faults.answer({"client_name": "Attest"})

    with pytest.raises(Refused) as error:
        registered(platform)

    assert error.value.claim == "client_id"


@pytest.mark.parametrize("deployment", ["x" * 256, "a\0b", ["1"]])
def test_a_deployment_that_is_none_is_refused_by_its_name(platform: Platform, deployment: object) -> None:
    answer = {"client_id": "7", TOOL: {"deployment_id": deployment}}
    platform.broken["register"] = faults.answer(answer)

    with pytest.raises(Refused) as error:
        registered(platform)

    assert error.value.claim == "deployment_id"


def test_an_issuer_longer_than_any_is_refused(platform: Platform) -> None:
    described = platform.registering.configuration()
    platform.broken["openid"] = faults.answer({**described, "issuer": f"{platform.url}/{'x' * 600}"})

    with pytest.raises(Refused) as error:
        registered(platform)

    assert error.value.claim == "issuer"


def test_a_platform_that_names_no_deployment_is_registered_without_one(platform: Platform) -> None:
    platform.broken["register"] = faults.answer({"client_id": "7"})

    assert registered(platform).deployment_ids == frozenset()


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "é", "\x00", "x" * 8001])
def test_a_token_that_would_write_headers_is_refused(platform: Platform, token: str) -> None:
    with pytest.raises(Refused) as error:
        registered(platform, registration_token=token)

    assert error.value.claim == "registration_token"
    assert platform.tools == {}


def test_an_address_in_a_private_network_is_not_asked_unless_allowed(platform: Platform) -> None:
    parameters = platform.registering.parameters()

    with pytest.raises(Unreachable):
        register(Web(), parameters["openid_configuration"], parameters["registration_token"], TOOL_OF_OURS)

    assert platform.asked == []
