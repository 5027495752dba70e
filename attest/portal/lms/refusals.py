"""What helps where a launch is refused: who clicked, and whoever runs the LMS or the portal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attest.lti.errors import LTIError, Refused, Unreachable
from attest.lti.launch import NotKept, PlatformError
from attest.portal.lms.models import Platform

_AGAIN = "Go back to your course, load its page again, and click once more."
_OFTEN = f"{_AGAIN} If it goes on, show this page to your instructor."
_SHOW = "Clicking again does not help. Show this page to your instructor, who shows it to an administrator."
_CLOCKS = "Set the clocks of the LMS and of this portal by the network's time."
_TOOL = (
    "In the LMS, compare the tool's addresses with those on the LMS's page in Attest. Where that page itself "
    "has a wrong one, with http or another name, start the portal with --url."
)
_CLIENT = "On the LMS's page in Attest, compare the client ID with what the LMS shows."
_KEYS = "On the LMS's page in Attest, compare the public keyset URL, and test the connection."


@dataclass(frozen=True)
class Advice:
    """A sentence or two for each; `theirs` is "" where nobody but who clicked can do anything."""

    yours: str
    theirs: str = ""


_BY_CLAIM: Mapping[str, Advice] = {
    "": Advice(_AGAIN),
    "state": Advice(_OFTEN),
    "nonce": Advice(_OFTEN),
    "ticket": Advice(_AGAIN),
    "exp": Advice(_OFTEN, _CLOCKS),
    "iat": Advice(_OFTEN, _CLOCKS),
    "nbf": Advice(_OFTEN, _CLOCKS),
    "roles": Advice(
        "Your instructor sees in the LMS who is enrolled in the course, and as what. Once that is right, "
        "click again.",
        "The LMS must tell the tool the role in the course, not only that in the institution.",
    ),
    "person": Advice(
        "Ask your instructor.", "The page of the person, under People in Attest, lets them in again."
    ),
    "sub": Advice(_SHOW, "In the tool's settings in the LMS, let it tell the tool who comes."),
    "iss": Advice(
        _SHOW,
        "On the LMS's page in Attest, the issuer must be what the LMS calls its issuer or platform ID, to the"
        " last sign.",
    ),
    "client_id": Advice(_SHOW, _CLIENT),
    "aud": Advice(_SHOW, _CLIENT),
    "azp": Advice(_SHOW, _CLIENT),
    "deployment_id": Advice(
        _SHOW, "If it is a place of yours where the tool is installed, add it on the LMS's page in Attest."
    ),
    "kid": Advice(_SHOW, _KEYS),
    "signature": Advice(_SHOW, _KEYS),
    "target_link_uri": Advice(_SHOW, _TOOL),
    "accept_types": Advice(
        "Choose Attest where an assignment or an external tool is added to the course, not in an editor."
    ),
    "version": Advice(_SHOW, "Register Attest in the LMS as a tool of LTI 1.3."),
    "message_type": Advice(
        _SHOW, "Register Attest in the LMS for links to resources and for deep linking, and nothing else."
    ),
}


def advice(error: LTIError, host: str) -> Advice:
    """Return what helps; `host` is ours, as the browser has it."""
    if isinstance(error, NotKept):
        return Advice(
            f"Allow cookies for {host} in your browser, or use another browser; then go back to your course "
            "and click once more.",
            "Have the LMS open the tool in a new window.",
        )
    if isinstance(error, PlatformError):
        if error.code == "login_required":
            return Advice("Sign in to your LMS, load the course's page again, and click once more.")
        return Advice(_OFTEN, "What the LMS answered is its own; its administrators find it in its log.")
    if isinstance(error, Unreachable):
        return Advice(_OFTEN, "On the LMS's page in Attest, test the connection.")
    claim = error.claim if isinstance(error, Refused) else ""
    return _BY_CLAIM.get(claim, Advice(_SHOW, "The LMS sent what LTI 1.3 does not allow."))


def registered_otherwise(issuer: str, client_id: str) -> str:
    """Return how the client id of a login is registered where that is not as the login says; else ""."""
    found = Platform.objects.filter(client_id=client_id).first() if client_id else None
    if found is not None and not found.is_active:
        return f"The LMS with the client ID {client_id} is out of use; its page in Attest changes that."
    if found is None or found.issuer == issuer:
        return ""
    return (
        f"The client ID {client_id} is registered here with the issuer {found.issuer}. On the LMS's page in "
        "Attest, write it as it is above, to the last sign."
    )
