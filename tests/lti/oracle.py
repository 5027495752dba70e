"""pylti1p3next, a tool library of others, taken through one login and launch without a web framework."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pylti1p3.cookie import CookieService
from pylti1p3.exception import LtiException, OIDCException, ToolConfException
from pylti1p3.message_launch import MessageLaunch
from pylti1p3.oidc_login import OIDCLogin
from pylti1p3.redirect import Redirect
from pylti1p3.request import Request
from pylti1p3.session import SessionService
from pylti1p3.tool_config import ToolConfDict

from attest.lti.registrations import Registration
from tests.lti.forging import LAUNCH_URL, key_pair


class _Request(Request):
    def __init__(self, parameters: dict[str, str], session: dict[str, Any]) -> None:
        self.parameters = parameters
        self._session = session

    @property
    def session(self) -> dict[str, Any]:
        return self._session

    def is_secure(self) -> bool:
        return True

    def get_param(self, key: str) -> str:
        return self.parameters.get(key, "")


class _Cookies(CookieService):
    def __init__(self, jar: dict[str, str]) -> None:
        self.jar = jar

    def get_cookie(self, name: str) -> str | None:
        return self.jar.get(name)

    def set_cookie(self, name: str, value: str | int, exp: int | None = 3600) -> None:
        self.jar[name] = str(value)


class _Redirect(Redirect[str]):
    def __init__(self, location: str) -> None:
        self.location = location

    def do_redirect(self) -> str:
        return self.location

    def do_js_redirect(self) -> str:
        return self.location

    def set_redirect_url(self, location: str) -> None:
        self.location = location

    def get_redirect_url(self) -> str:
        return self.location


class _Login(OIDCLogin[Any, Any, Any, Any, str]):
    def get_redirect(self, url: str) -> Redirect[str]:
        return _Redirect(url)


class _Launch(MessageLaunch[Any, Any, Any, Any]):
    def _get_request_param(self, key: str) -> str:
        return str(self._request.get_param(key))


class Oracle:
    """A tool that is registered with one platform, and one browser that visits it."""

    def __init__(self, at: Registration, published: str = "platform") -> None:
        public = key_pair(published).as_dict(private=False)
        self.at = at
        self.settings = ToolConfDict(
            {
                at.issuer: [
                    {
                        "default": True,
                        "client_id": at.client_id,
                        "auth_login_url": at.auth_login_url,
                        "auth_token_url": at.auth_token_url,
                        "key_set": {"keys": [public]},
                        "deployment_ids": sorted(at.deployment_ids or ()),
                    }
                ]
            }
        )
        self.settings.set_private_key(at.issuer, "unused", client_id=at.client_id)
        self.session: dict[str, Any] = {}
        self.jar: dict[str, str] = {}

    def begin(self, target: str = LAUNCH_URL) -> dict[str, str] | None:
        """What it asks of the platform; None where it refuses the login."""
        parameters = {
            "iss": self.at.issuer,
            "client_id": self.at.client_id,
            "login_hint": "42",
            "target_link_uri": target,
        }
        login = _Login(**self._parts(parameters))
        try:
            return dict(parse_qsl(urlsplit(login.redirect(LAUNCH_URL)).query))
        except OIDCException:
            return None

    def accepts(self, state: str, token: str) -> bool:
        """Whether it takes a launch with this state and token."""
        try:
            _Launch(**self._parts({"state": state, "id_token": token})).validate()
        except (LtiException, ToolConfException):
            return False
        return True

    def _parts(self, parameters: dict[str, str]) -> dict[str, Any]:
        request = _Request(parameters, self.session)
        return {
            "request": request,
            "tool_config": self.settings,
            "session_service": SessionService(request),
            "cookie_service": _Cookies(self.jar),
        }
