"""What is read from a launch: texts that are only told, addresses that may be followed, ids as they are."""

from __future__ import annotations

from typing import Any

import pytest

from attest.lti.claims import AGS, DEEP_LINKING, LTI, NRPS, AGSEndpoint, Launch, read
from attest.lti.errors import Refused
from tests.lti.forging import MOODLE, claims_of, opened
from tests.lti.memory import MemoryStore


def told(**changed: Any) -> dict[str, Any]:
    return claims_of(opened(MemoryStore(MOODLE)), **changed)


def launch(**changed: Any) -> Launch:
    return read("1", told(**changed))


def deep_linking(**changed: Any) -> Launch:
    settings = {
        "deep_link_return_url": "https://moodle.example/contentitem_return.php?course=3",
        "accept_types": ["ltiResourceLink", "link"],
        "accept_presentation_document_targets": ["iframe"],
        "accept_multiple": True,
        "data": "op=321&v=44",
        **changed,
    }
    return launch(message_type="LtiDeepLinkingRequest", resource_link=None, **{DEEP_LINKING: settings})


def refused(**changed: Any) -> str:
    with pytest.raises(Refused) as error:
        launch(**changed)
    return error.value.claim


def test_custom_parameters_are_texts() -> None:
    assert launch(
        custom={"attest_assignment": "7", "number": 8, "nothing": None, "list": ["x"], "yes": True}
    ).custom == {
        "attest_assignment": "7",
        "number": "8",
    }


def test_a_custom_parameter_whose_name_cannot_be_written_is_passed_over() -> None:
    odd = {"a\x00": "1", "\ud800": "2", "x" * 256: "3", "assignment": "4"}

    assert launch(custom=odd).custom == {"assignment": "4"}


@pytest.mark.parametrize(
    "variable",
    ["$User.id", "$Canvas.user.loginId", "$Person.name.full", "$com.school.x-y", " $User.id ", "$x"],
)
def test_a_variable_that_was_not_filled_in_is_nothing(variable: str) -> None:
    launched = launch(
        custom={"attest_assignment": variable},
        name=variable,
        email=variable,
        context={"id": "3", "title": variable},
        lis={"person_sourcedid": variable},
    )

    assert launched.custom == {}
    assert (launched.name, launched.email, launched.context_title, launched.person_sourced_id) == (
        "",
        "",
        "",
        "",
    )


@pytest.mark.parametrize("value", ["$5", "costs $Much", "$", "US$Dollar"])
def test_a_dollar_sign_alone_is_no_variable(value: str) -> None:
    assert launch(custom={"price": value}).custom == {"price": value}


def test_texts_are_one_line_without_what_is_not_seen() -> None:
    launched = launch(name="Lena\r\n\u202eNovak\x00\x1b[31m", context={"id": "3", "title": "N" * 5000})

    assert launched.name == "Lena [U+202E]Novak␀"
    assert len(launched.context_title) == 250


def test_half_a_character_is_no_text_for_a_database() -> None:
    launch(name="\ud83d", custom={"a": "\udc00"}).name.encode()


@pytest.mark.parametrize("name", ["sub", "deployment_id"])
@pytest.mark.parametrize("value", ["a\x00b", "a\nb", "\ud800", "x" * 256, 7, ["2"], {"a": 1}, True])
def test_an_identifier_is_taken_as_it_is_or_not_at_all(name: str, value: object) -> None:
    assert refused(**{name: value}) == name


def test_identifiers_are_not_changed() -> None:
    odd = " 2:Ünal/<b>=1 "

    launched = launch(sub=odd, context={"id": odd}, resource_link={"id": odd})

    assert (launched.subject, launched.context_id, launched.resource_link_id) == (odd, odd, odd)


def test_an_anonymous_launch_is_refused() -> None:
    for told_subject in (None, ""):
        with pytest.raises(Refused, match="anonymous"):
            launch(sub=told_subject)


def test_an_identifier_that_is_missing_is_said_to_be() -> None:
    for link in ({}, {"id": ""}, {"id": None}):
        with pytest.raises(Refused, match=r"resource_link\.id is missing"):
            launch(resource_link=link)


@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"resource_link": None}, "resource_link.id"),
        ({"resource_link": {}}, "resource_link.id"),
        ({"resource_link": "link-7"}, f"{LTI}resource_link"),
        ({"context": {"title": "without an id"}}, "context.id"),
        ({"context": ["course-3"]}, f"{LTI}context"),
        ({"roles": None}, "roles"),
        ({"roles": "Instructor"}, f"{LTI}roles"),
        ({"custom": "a=b"}, f"{LTI}custom"),
        ({AGS: "https://moodle.example"}, AGS),
        ({AGS: {"scope": "all"}}, "scope"),
        ({AGS: {"lineitem": "file:///etc/passwd"}}, "lineitem"),
        ({AGS: {"lineitems": "https://a@moodle.example/"}}, "lineitems"),
        ({AGS: {"lineitem": "https://moodle.example/a\nb"}}, "lineitem"),
        ({AGS: {"lineitem": "https://moodle.example/" + "a" * 2000}}, "lineitem"),
        ({AGS: {"lineitem": "https:///lineitems"}}, "lineitem"),
        ({AGS: {"lineitem": "https://:443/lineitems"}}, "lineitem"),
        ({NRPS: {"context_memberships_url": "gopher://moodle.example"}}, "context_memberships_url"),
    ],
)
def test_a_claim_that_is_not_what_it_should_be_is_named(changed: dict[str, Any], claim: str) -> None:
    assert refused(**changed) == claim


def test_a_launch_outside_of_any_course() -> None:
    launched = launch(context=None, roles=[])

    assert (launched.context_id, launched.roles) == ("", frozenset())


def test_roles_that_are_no_strings_or_cannot_be_written_are_passed_over() -> None:
    odd = ["Learner", 7, None, ["Instructor"], "x" * 3000, "Learner\x00", "\ud800"]

    assert launch(roles=odd).roles == {"Learner"}


def test_the_services_keep_their_query() -> None:
    items = "https://moodle.example/mod/lti/services.php/3/lineitems?type_id=1"
    launched = launch(
        **{
            AGS: {"scope": ["a", "b"], "lineitems": items, "lineitem": f"{items}&id=2"},
            NRPS: {"context_memberships_url": "https://moodle.example/members?type_id=1"},
        }
    )

    assert launched.ags == AGSEndpoint(frozenset({"a", "b"}), items, f"{items}&id=2")
    assert launched.nrps == "https://moodle.example/members?type_id=1"


def test_a_service_without_an_address_is_none() -> None:
    assert launch(**{AGS: {"scope": ["a"], "lineitem": "", "lineitems": None}}).ags == AGSEndpoint(
        frozenset({"a"}), None, None
    )


def test_a_launch_without_services() -> None:
    assert (launch().ags, launch().nrps) == (None, None)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil",
        "about:blank",
        "https://a b",
        7,
        "",
        "https://é.example",
    ],
)
def test_a_way_back_that_is_no_web_address_is_not_shown(url: object) -> None:
    assert launch(launch_presentation={"return_url": url, "document_target": "iframe"}).return_url is None


def test_a_way_back() -> None:
    launched = launch(launch_presentation={"return_url": "https://moodle.example/c?id=3"})

    assert launched.return_url == "https://moodle.example/c?id=3"


def test_what_is_of_no_use_here_is_not_read() -> None:
    usual = launch()

    assert launch(ext={"user_username": "lnovak"}, tool_platform="Moodle", locale=7) == usual


def test_a_choice_that_an_instructor_is_to_make() -> None:
    settings = deep_linking().deep_linking

    assert settings is not None
    assert settings.return_url == "https://moodle.example/contentitem_return.php?course=3"
    assert settings.accept_types == {"ltiResourceLink", "link"}
    assert (settings.accept_multiple, settings.data) == (True, "op=321&v=44")


@pytest.mark.parametrize(
    ("written", "meant"), [(True, True), ("true", True), (False, False), ("false", False), (None, False)]
)
def test_truth_that_is_written_as_a_string(written: object, meant: bool) -> None:
    settings = deep_linking(accept_multiple=written).deep_linking

    assert settings is not None
    assert settings.accept_multiple is meant


@pytest.mark.parametrize(
    "changed",
    [
        {"deep_link_return_url": None},
        {"deep_link_return_url": "javascript:alert(1)"},
        {"data": ["x"]},
        {"data": "\ud800"},
        {"data": "a\x00"},
        {"data": "x" * 20_001},
    ],
)
def test_a_choice_that_could_not_be_told(changed: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        deep_linking(**changed)


def test_a_choice_needs_settings() -> None:
    assert refused(message_type="LtiDeepLinkingRequest") == "deep_linking_settings"


def test_settings_of_a_choice_do_not_make_a_link_one() -> None:
    assert launch(**{DEEP_LINKING: {"deep_link_return_url": "https://moodle.example"}}).deep_linking is None
