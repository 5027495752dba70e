"""The state cookie, as a browser reads it."""

from __future__ import annotations

from http.cookies import SimpleCookie

from attest.lti import cookies

STATE = "p4Jq0_-state"


def header(jar: SimpleCookie) -> set[str]:
    name_and_value, *attributes = jar[cookies.name_of(STATE)].OutputString().split("; ")
    return {name_and_value, *attributes}


def test_the_cookie_goes_into_a_foreign_frame_and_nowhere_else() -> None:
    jar = SimpleCookie()
    cookies.keep(jar, STATE)

    assert header(jar) == {
        f"{cookies.name_of(STATE)}={STATE}",
        "HttpOnly",
        "Max-Age=300",
        "Partitioned",
        "Path=/",
        "SameSite=None",
        "Secure",
    }


def test_the_cookie_is_taken_back_with_what_it_was_set_with() -> None:
    """A partitioned cookie is only removed by one that is partitioned, too."""
    jar = SimpleCookie()
    cookies.drop(jar, STATE)

    assert {"Max-Age=0", "Partitioned", "Path=/", "Secure"} < header(jar)
    assert STATE not in jar.output()


def test_two_frames_of_one_page_do_not_disturb_each_other() -> None:
    jar = SimpleCookie()
    cookies.keep(jar, STATE)
    cookies.keep(jar, "another")

    sent = {name: morsel.value for name, morsel in jar.items()}
    assert cookies.kept(sent, STATE) == STATE
    assert cookies.kept(sent, "another") == "another"
    assert cookies.kept(sent, "third") is None
    assert cookies.kept(sent, "\ud800") is None


def test_the_cookies_name_tells_nothing_of_the_state() -> None:
    assert cookies.name_of(STATE).startswith("__Host-")
    assert STATE not in cookies.name_of(STATE)
