"""Launches, keys, tokens and grades with Open edX's own platform, over HTTP: nobody here wrote both sides."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from attest.lti.ags import (
    LINE_ITEMS,
    RESULTS_READ,
    SCORES,
    LineItem,
    create_line_item,
    line_items,
    post_score,
    results,
)
from attest.lti.claims import DEEP_LINKING_REQUEST, Launch
from attest.lti.deep_linking import AssignmentLink, response
from attest.lti.errors import Answered, Refused
from attest.lti.keys import OwnKey, new_key, public_jwks
from attest.lti.launch import finish
from attest.lti.login import Begun, begin
from attest.lti.platform_keys import PlatformKeys
from attest.lti.roles import role_of
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from tests.lti.memory import MemoryStore
from tests.lti.openedx.running import OpenEdx

LOGIN, LAUNCH = "http://attest.example/lti/login", "http://attest.example/lti/launch"
WEB = Web(allow_private=True)


@pytest.fixture(scope="module")
def keys() -> list[OwnKey]:
    """Ours, as published; the last one signs."""
    return [new_key(time.time())]


@pytest.fixture(scope="module")
def openedx(tmp_path_factory: pytest.TempPathFactory, keys: list[OwnKey]) -> Iterator[OpenEdx]:
    """The peer, which reads our keys where we publish them."""

    class Published(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(public_jwks(keys)).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Published) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        jwks = f"http://127.0.0.1:{server.server_port}/jwks.json"
        folder = tmp_path_factory.mktemp("openedx")
        with OpenEdx(folder, login=LOGIN, launch=LAUNCH, jwks=jwks) as peer:
            yield peer
        server.shutdown()


@pytest.fixture
def store(openedx: OpenEdx) -> MemoryStore:
    return MemoryStore(openedx.registration())


def opened(openedx: OpenEdx, store: MemoryStore, role: str, **more: str) -> Begun:
    """Somebody has clicked."""
    parameters = openedx.begin("edx-user-7", role, **more)
    return begin(store, parameters, launch_url=LAUNCH, now=time.time())


def taken(store: MemoryStore, begun: Begun, form: dict[str, str]) -> Launch:
    return finish(store, PlatformKeys(WEB), form, state_from_browser=begun.state.value, now=time.time())


def launched(openedx: OpenEdx, store: MemoryStore, role: str, **more: str) -> Launch:
    begun = opened(openedx, store, role, **more)
    return taken(store, begun, openedx.authenticate(begun.redirect_url))


def test_a_launch_is_taken(openedx: OpenEdx, store: MemoryStore) -> None:
    launch = launched(openedx, store, "student", name="Ada Stone", email="ada@school.example", assignment="9")
    assert (launch.subject, launch.name, launch.email) == ("edx-user-7", "Ada Stone", "ada@school.example")
    assert (launch.deployment_id, launch.resource_link_id) == ("1", "link-1")
    assert (launch.context_id, launch.context_title) == ("course-v1:School+A1+2026", "Attention")
    assert launch.custom == {"attest_assignment": "9"}
    assert launch.ags is not None
    assert urlsplit(launch.ags.lineitems or "").path == "/api/lti_consumer/v1/lti/1/lti-ags"


@pytest.mark.parametrize(
    ("role", "ours"),
    [
        ("student", "student"),
        ("guest", "student"),
        ("staff", "instructor"),
        ("instructor", "instructor"),
        ("Community TA", "grader"),
        ("global_staff", "instructor"),
    ],
)
def test_roles_are_what_they_are_there(openedx: OpenEdx, store: MemoryStore, role: str, ours: str) -> None:
    assert role_of(launched(openedx, store, role)) == ours


def test_a_launch_is_taken_once(openedx: OpenEdx, store: MemoryStore) -> None:
    begun = opened(openedx, store, "student")
    form = openedx.authenticate(begun.redirect_url)
    taken(store, begun, form)
    with pytest.raises(Refused) as error:
        taken(store, begun, form)
    assert error.value.claim == "state"
    store.keep_state(begun.state)
    with pytest.raises(Refused) as error:
        taken(store, begun, form)
    assert error.value.claim == "nonce"


def test_its_token_is_refused_when_a_letter_is_another(openedx: OpenEdx, store: MemoryStore) -> None:
    begun = opened(openedx, store, "student")
    form = openedx.authenticate(begun.redirect_url)
    head, claims, signature = form["id_token"].split(".")
    claims = claims[:40] + ("A" if claims[40] != "A" else "B") + claims[41:]
    with pytest.raises(Refused) as error:
        taken(store, begun, {**form, "id_token": f"{head}.{claims}.{signature}"})
    assert error.value.claim == "signature"


def test_the_peer_gives_no_launch_to_another_address(openedx: OpenEdx, store: MemoryStore) -> None:
    begun = opened(openedx, store, "student")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(begun.redirect_url).query).items()}
    url = begun.redirect_url.partition("?")[0]
    elsewhere = urlencode({**asked, "redirect_uri": "http://elsewhere.example/"})
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"{url}?{elsewhere}", timeout=20)
    assert error.value.code == 400


def test_the_peer_knows_our_key_and_no_other(openedx: OpenEdx, keys: list[OwnKey]) -> None:
    at = openedx.registration()
    assert Tokens(WEB, lambda: keys[-1]).token(at, [SCORES])
    with pytest.raises(Answered) as error:
        Tokens(WEB, lambda: new_key(time.time())).token(at, [SCORES])
    assert (error.value.status, b"invalid_client" in error.value.body) == (400, True)


def test_a_new_key_is_read_by_the_peer_while_the_old_one_counts(openedx: OpenEdx, keys: list[OwnKey]) -> None:
    old = keys[-1]
    keys.append(new_key(time.time()))
    at = openedx.registration()
    for key in (old, keys[-1]):
        assert Tokens(WEB, lambda key=key: key).token(at, [SCORES])


def test_a_column_is_made_and_a_score_sent_and_read(
    openedx: OpenEdx, store: MemoryStore, keys: list[OwnKey]
) -> None:
    launch = launched(openedx, store, "student")
    assert launch.ags is not None
    assert {LINE_ITEMS, RESULTS_READ, SCORES} <= set(launch.ags.scopes)
    service = Service(WEB, Tokens(WEB, lambda: keys[-1]), openedx.registration())
    made = create_line_item(
        service, launch.ags.lineitems or "", LineItem("Attention", 20, resource_id="9", tag="attest")
    )
    assert (made.label, made.maximum, made.resource_id) == ("Attention", 20, "9")
    assert line_items(service, launch.ags.lineitems or "", resource_id="9") == [made]
    told = {"activityProgress": "Completed", "gradingProgress": "FullyGraded", "scoreMaximum": 20}
    score = {**told, "userId": "edx-user-7", "scoreGiven": 17.5, "timestamp": "2026-11-30T10:00:00.000Z"}
    post_score(service, made.url, {**score, "comment": "Good."})
    [there] = results(service, made.url, subject="edx-user-7")
    assert (there.points, there.maximum, there.comment) == (17.5, 20, "Good.")
    post_score(service, made.url, {**score, "scoreGiven": 19, "timestamp": "2026-11-30T10:00:01.000Z"})
    assert [one.points for one in results(service, made.url)] == [19]


def test_what_is_chosen_is_understood(openedx: OpenEdx, store: MemoryStore, keys: list[OwnKey]) -> None:
    launch = launched(openedx, store, "staff", message="LtiDeepLinkingRequest")
    assert launch.message_type == DEEP_LINKING_REQUEST
    item = AssignmentLink("9", "Attention", LAUNCH, 20)
    token = response(keys[-1], openedx.registration(), launch, [item], time.time())

    def send(answer: str) -> tuple[int, dict[str, object]]:
        body = urlencode({"JWT": answer}).encode()
        try:
            with urllib.request.urlopen(f"{openedx.url}/chosen", body, timeout=20) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    status, told = send(token)
    assert status == 200
    [chosen] = told["items"]  # type: ignore[misc]
    assert (chosen["type"], chosen["title"]) == ("ltiResourceLink", "Attention")
    assert chosen["custom"] == {"attest_assignment": "9"}
    assert chosen["lineItem"]["scoreMaximum"] == 20
    forged = response(new_key(time.time()), openedx.registration(), launch, [item], time.time())
    assert send(forged)[0] == 400
