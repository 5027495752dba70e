"""The platform made for tests: its launches, tokens, rosters, registration, and the ways to break it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.lti.platform import Platform, faults, keys
from tests.lti.platform.client import Client, ask
from tests.lti.platform.launches import AGS_CLAIM, CLAIM, DEEP, NRPS_CLAIM, BadRequest
from tests.lti.platform.registering import TOOL
from tests.lti.platform.tokens import SCOPES


@pytest.fixture
def client() -> Iterator[Client]:
    with Platform() as platform:
        yield Client(platform)


def asked(begin: dict[str, str], client: Client, **change: str) -> dict[str, str]:
    """What a tool asks after it was told that a launch begins."""
    return {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": begin["client_id"],
        "redirect_uri": client.tool.redirect_urls[0],
        "login_hint": begin["login_hint"],
        "lti_message_hint": begin["lti_message_hint"],
        "state": "a-state",
        "nonce": "a-nonce",
        **change,
    }


def test_a_launch_says_who_where_and_what(client: Client) -> None:
    platform = client.platform
    client.link.custom = {"attest_assignment": "9", "when": "$ResourceLink.available.startDateTime"}
    begin = platform.launches.begin(client.tool, "s1", client.link)
    form = platform.launches.authenticate(asked(begin, client))
    assert (form.action, form.fields["state"]) == (client.tool.redirect_urls[0], "a-state")
    claims = keys.read(form.fields["id_token"], f"{platform.url}/jwks")
    told = (claims["iss"], claims["aud"], claims["sub"], claims["nonce"], claims["email"])
    assert told == (platform.issuer, "attest-1", "s1", "a-nonce", "ada@school.example")
    assert claims[f"{CLAIM}/resource_link"]["id"] == client.link.id
    assert claims[f"{CLAIM}/custom"] == client.link.custom
    assert claims[AGS_CLAIM]["lineitem"] == client.line_item
    assert claims[NRPS_CLAIM]["context_memberships_url"].endswith("/services/c7/memberships")


def test_a_browser_posts_the_form_by_itself(client: Client) -> None:
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    page = ask("GET", f"{client.platform.url}/auth?{urlencode(asked(begin, client))}")
    assert page.status == 200
    assert f'action="{client.tool.redirect_urls[0]}"' in page.body
    assert 'name="id_token" value="ey' in page.body


def test_a_message_hint_is_good_once(client: Client) -> None:
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    client.platform.launches.authenticate(asked(begin, client))
    form = client.platform.launches.authenticate(asked(begin, client))
    assert form.fields["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"scope": "profile"}, "invalid_request"),
        ({"response_mode": "query"}, "invalid_request"),
        ({"prompt": "login"}, "invalid_request"),
        ({"nonce": ""}, "invalid_request"),
        ({"login_hint": "s2"}, "access_denied"),
    ],
)
def test_errors_go_back_by_the_same_way(client: Client, change: dict[str, str], error: str) -> None:
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    form = client.platform.launches.authenticate(asked(begin, client, **change))
    assert (form.fields["error"], form.fields["state"]) == (error, "a-state")


def test_nobody_is_signed_in_in_a_frame(client: Client) -> None:
    client.platform.launches.login_required = True
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    form = client.platform.launches.authenticate(asked(begin, client))
    assert form.fields["error"] == "login_required"


@pytest.mark.parametrize("change", [{"redirect_uri": "http://elsewhere.example/"}, {"client_id": "nobody"}])
def test_no_address_that_is_unknown_gets_an_answer(client: Client, change: dict[str, str]) -> None:
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    with pytest.raises(BadRequest):
        client.platform.launches.authenticate(asked(begin, client, **change))


def test_keys_rotate(client: Client) -> None:
    client.platform.keys.rotate()
    told = ask("GET", f"{client.platform.url}/jwks").body
    assert [key["kid"] for key in told["keys"]] == ["platform-1", "platform-2"]
    assert not any("d" in key for key in told["keys"])
    client.platform.keys.rotate(keep=False)
    told = ask("GET", f"{client.platform.url}/jwks").body
    assert [key["kid"] for key in told["keys"]] == ["platform-3"]


def test_a_token_is_given_for_a_good_assertion(client: Client) -> None:
    answer = client.ask_token(client.assertion())
    assert answer.status == 200
    assert (answer.body["token_type"], answer.body["expires_in"]) == ("Bearer", 3600)
    assert set(answer.body["scope"].split()) == set(SCOPES)


@pytest.mark.parametrize(
    "change",
    [
        {"iat": 120, "exp": 180},
        {"exp": -1},
        {"exp": None},
        {"iat": None},
        {"jti": None},
        {"aud": "https://elsewhere.example/token"},
        {"sub": "nobody"},
        {"iss": "nobody"},
    ],
)
def test_an_assertion_that_is_wrong_gets_no_token(client: Client, change: dict[str, Any]) -> None:
    now = time.time()  # which numbers count from
    claims = {name: now + value if isinstance(value, int) else value for name, value in change.items()}
    answer = client.ask_token(client.assertion(**claims))
    assert (answer.status, answer.body["error"]) == (400, "invalid_client")


def test_an_assertion_is_good_once(client: Client) -> None:
    assertion = client.assertion()
    assert client.ask_token(assertion).status == 200
    assert client.ask_token(assertion).status == 400


def test_an_assertion_by_another_key_gets_no_token(client: Client) -> None:
    client.key = keys.new_key("tool-1")
    assert client.ask_token(client.assertion()).status == 400


def test_a_token_ends(client: Client) -> None:
    token = client.token()
    client.platform.tokens.forget()
    assert client.call("GET", client.line_item, token=token).status == 401


def test_a_roster_comes_in_pages(client: Client) -> None:
    client.platform.course.add_students(120)
    url: str | None = client.platform.service_url("c7", "memberships")
    subjects, token = [], client.token()
    pages = 0
    while url:
        answer = client.call("GET", url, token=token)
        subjects += [member["user_id"] for member in answer.body["members"]]
        links = {part.split("; ")[1]: part.split("; ")[0] for part in answer.headers["Link"].split(", ")}
        assert 'rel="differences"' in links
        url = links.get('rel="next"', "").strip("<>") or None
        pages += 1
    assert pages == 3
    assert len(subjects) == len(set(subjects)) == 126
    assert {"t1", "a1", "s9", "u120"} <= set(subjects)


def test_a_roster_may_never_end(client: Client) -> None:
    client.platform.services.pages_loop = True
    url = client.platform.service_url("c7", "memberships")
    first = client.call("GET", url).headers["Link"]
    following = first.rpartition("<")[2].partition(">")[0]
    assert client.call("GET", following).headers["Link"].endswith(f'<{following}>; rel="next"')


def test_what_a_tool_chooses_becomes_links_with_columns(client: Client) -> None:
    platform = client.platform
    begin = platform.launches.begin(client.tool, "t1", None)
    form = platform.launches.authenticate(asked(begin, client))
    request = keys.read(form.fields["id_token"], f"{platform.url}/jwks")
    settings = request[f"{DEEP}/deep_linking_settings"]
    item = {
        "type": "ltiResourceLink",
        "title": "Masks",
        "custom": {"attest_assignment": "9"},
        "lineItem": {"scoreMaximum": 30, "resourceId": "9", "tag": "attest"},
    }
    now = int(time.time())
    response = {
        "iss": "attest-1",
        "aud": platform.issuer,
        "iat": now,
        "exp": now + 60,
        "nonce": "n",
        f"{CLAIM}/message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}/version": "1.3.0",
        f"{CLAIM}/deployment_id": "1",
        f"{DEEP}/data": settings["data"],
        f"{DEEP}/content_items": [item],
    }

    def send(told: dict[str, Any]) -> int:
        body = urlencode({"JWT": keys.sign(told, client.key)}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return ask("POST", settings["deep_link_return_url"], body, kind).status

    for wrong in ({"aud": "elsewhere"}, {f"{DEEP}/data": "x"}, {"exp": now - 1}, {"nonce": ""}):
        assert send({**response, **wrong}) == 400
    assert send(response) == 200
    link = list(platform.course.links.values())[-1]
    assert (link.title, link.custom) == ("Masks", {"attest_assignment": "9"})
    column = platform.course.line_items[str(link.line_item)]
    assert (column.maximum, column.resource_id, column.resource_link_id) == (30, "9", link.id)


def test_a_tool_registers_itself_once(client: Client) -> None:
    platform = client.platform
    parameters = platform.registering.parameters()
    told = ask("GET", parameters["openid_configuration"]).body
    assert told["issuer"] == platform.issuer
    wish = {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "token_endpoint_auth_method": "private_key_jwt",
        "initiate_login_uri": "https://tool.example/login",
        "redirect_uris": ["https://tool.example/launch"],
        "jwks_uri": "https://tool.example/jwks",
        "client_name": "A tool",
        TOOL: {
            "domain": "tool.example",
            "target_link_uri": "https://tool.example/launch",
            "claims": ["iss", "sub"],
            "messages": [{"type": "LtiDeepLinkingRequest"}],
        },
    }

    def register(token: str, wished: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return ask("POST", told["registration_endpoint"], json.dumps(wished).encode(), headers)

    token = parameters["registration_token"]
    assert register("guessed", wish).status == 401
    assert register(token, {**wish, "token_endpoint_auth_method": "none"}).status == 400
    made = register(token, wish)
    assert made.status == 200
    assert platform.tools[made.body["client_id"]].login_url == "https://tool.example/login"
    assert made.body[TOOL]["deployment_id"] == "1"
    assert register(token, wish).status == 401


def test_a_course_page_has_the_tool_in_a_frame_that_begins_a_launch(client: Client) -> None:
    page = ask("GET", client.platform.page_url(client.tool, "s1", client.link))
    frame = page.body.partition('src="')[2].partition('"')[0].replace("&amp;", "&")
    begun = ask("GET", client.platform.url + frame)
    assert f'action="{client.tool.login_url}"' in begun.body
    assert 'name="login_hint" value="s1"' in begun.body


def test_broken_answers_come_instead_of_what_was_asked(client: Client) -> None:
    url = f"{client.platform.url}/jwks"
    client.platform.broken["jwks"] = faults.answer(b"<html>", content_type="text/html")
    assert ask("GET", url).body == "<html>"
    client.platform.broken["jwks"] = faults.redirect("http://169.254.169.254/latest/meta-data/")
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    connection.request("GET", "/jwks")
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (302, "http://169.254.169.254/latest/meta-data/")
    connection.close()
    client.platform.broken["jwks"] = faults.hang_up()
    with pytest.raises((urllib.error.URLError, http.client.HTTPException, ConnectionError)):
        ask("GET", url)


def test_an_endless_document_does_not_end(client: Client) -> None:
    client.platform.broken["jwks"] = faults.endless()
    with urllib.request.urlopen(f"{client.platform.url}/jwks", timeout=10) as answer:
        for _ in range(50):
            assert len(answer.read(100_000)) == 100_000


@pytest.mark.parametrize("fault", [faults.drip(0.05), faults.drip_headers(0.05), faults.silent()])
def test_what_is_slow_stays_open_and_ends_with_the_platform(fault: faults.Fault) -> None:
    with Platform() as platform:
        platform.broken["jwks"] = fault
        place = urlsplit(platform.url)
        with socket.create_connection((place.hostname, place.port), timeout=0.6) as wire:
            wire.sendall(b"GET /jwks HTTP/1.1\r\nHost: school\r\n\r\n")
            told = b""
            until = time.monotonic() + 0.5
            with contextlib.suppress(TimeoutError):
                while time.monotonic() < until:
                    told += (part := wire.recv(100))
                    assert part, told
            assert len(told) < 300


def test_a_bomb_is_small_and_unpacks_to_much(client: Client) -> None:
    client.platform.broken["jwks"] = faults.bomb(20)
    with urllib.request.urlopen(f"{client.platform.url}/jwks", timeout=10) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert len(answer.read()) < 100_000


def test_a_login_begins_with_the_storage_that_the_platform_offers(client: Client) -> None:
    client.platform.launches.storage_target = "_parent"
    begin = client.platform.launches.begin(client.tool, "s1", client.link)
    assert begin["lti_storage_target"] == "_parent"
    page = ask("GET", client.platform.page_url(client.tool, "s1", client.link)).body
    assert "lti.capabilities" in page
    client.platform.launches.storage_target = "post_message_forwarding"
    page = ask("GET", client.platform.page_url(client.tool, "s1", client.link)).body
    assert '<iframe name="post_message_forwarding" src="/storage"' in page
    assert '"post_message_forwarding"' in ask("GET", f"{client.platform.url}/storage").body


def test_parameters_of_a_login_are_complete(client: Client) -> None:
    begin = client.platform.launches.begin(client.tool, "s1", client.link, deployment="2")
    assert parse_qs(urlencode(begin))["lti_deployment_id"] == ["2"]
    assert begin["target_link_uri"] == client.link.url
