"""What to write into which field of each LMS, in the words of its pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from attest.lti.claims import DEEP_LINKING_REQUEST
from attest.lti.dynamic import CANVAS_PLACEMENTS, SCOPES, Tool
from attest.portal.lms.models import Platform

Family = Platform.Family
_GRADES = "Assignment and Grade Services"
_NAMES = "Names and Role Provisioning Services"


@dataclass(frozen=True)
class Pasted:
    """For one kind of LMS: where, what into which field, and where its own values are found."""

    where: str
    fields: tuple[tuple[str, str], ...]
    back: str  # where the LMS shows what is to be written here
    names: Mapping[str, str] = field(default_factory=dict)  # what it calls that, by our form's fields


def pasted(family: str, tool: Tool) -> Pasted:
    """Return what is pasted into an LMS of this kind."""
    made = {
        Family.MOODLE: _moodle,
        Family.CANVAS: _canvas,
        Family.BLACKBOARD: _blackboard,
        Family.BRIGHTSPACE: _brightspace,
        Family.SAKAI: _sakai,
    }
    return made.get(Family(family), _other)(tool)


def takes_an_address(family: str) -> str:
    """Return where an LMS of this kind takes the address by which it registers itself; "" where it cannot."""
    return {
        Family.MOODLE: "Site administration, Plugins, Activity modules, External tool, Manage tools: paste it"
        " as Tool URL, “Add LTI Advantage”, then “Register” on the page that opens. Activate the new card.",
        Family.CANVAS: "Admin, Developer Keys, “+ Developer Key”, “+ LTI Registration”: paste it, then "
        "“Register” on the page that opens. Enable the key.",
        Family.BRIGHTSPACE: "Admin Tools, Manage Extensibility, LTI Advantage, “Register Tool”, Dynamic: "
        "paste it, then “Register” on the page that opens. Enable the registration.",
        Family.SAKAI: "Administration Workspace, External Tools, Install LTI 1.x Tool, “Use LTI Advantage "
        "Auto Provision”: a title, paste it, then “Register” on the page that opens.",
        Family.OTHER: "Where it asks for the registration address of a tool (dynamic registration).",
    }.get(Family(family), "")


def usual(family: str) -> dict[str, str]:
    """Return the addresses that all schools with this LMS have in common."""
    return {
        Family.CANVAS: {
            "issuer": "https://canvas.instructure.com",
            "auth_login_url": "https://sso.canvaslms.com/api/lti/authorize_redirect",
            "auth_token_url": "https://sso.canvaslms.com/login/oauth2/token",
            "jwks_url": "https://sso.canvaslms.com/api/lti/security/jwks",
        },
        Family.BLACKBOARD: {
            "issuer": "https://blackboard.com",
            "auth_login_url": "https://developer.blackboard.com/api/v1/gateway/oidcauth",
            "auth_token_url": "https://developer.blackboard.com/api/v1/gateway/oauth2/jwttoken",
        },
        Family.BRIGHTSPACE: {
            "auth_token_url": "https://auth.brightspace.com/core/connect/token",
            "token_audience": "https://api.brightspace.com/auth/token",
        },
    }.get(Family(family), {})


def _moodle(tool: Tool) -> Pasted:
    return Pasted(
        "Site administration, Plugins, External tool, Manage tools: “Configure a tool manually”",
        (
            ("Tool name", tool.name),
            ("Tool URL", tool.launch_url),
            ("LTI version", "LTI 1.3"),
            ("Public key type", "Keyset URL"),
            ("Public keyset", tool.jwks_url),
            ("Initiate login URL", tool.login_url),
            ("Redirection URI(s)", tool.launch_url),
            ("Tool configuration usage", "Show in activity chooser and as a preconfigured tool"),
            ("Supports Deep Linking (Content-Item Message)", "ticked"),
            ("Content Selection URL", tool.launch_url),
            (f"IMS LTI {_GRADES}", "Use this service for grade sync and column management"),
            (
                f"IMS LTI {_NAMES}",
                "Use this service to retrieve members' information as per privacy settings",
            ),
            ("Share launcher's name with tool", "Always"),
            (
                "Share launcher's email with tool",
                "Always, or Never: instructors see it, and nothing else is done with it",
            ),
            ("Accept grades from the tool", "Always"),
        ),
        "On the tool's card, “View configuration details”. All that it shows goes into a field here.",
        {
            "issuer": "Platform ID",
            "client_id": "Client ID",
            "deployment_id": "Deployment ID",
            "auth_login_url": "Authentication request URL",
            "auth_token_url": "Access token URL",
            "jwks_url": "Public keyset URL",
        },
    )


def _canvas(tool: Tool) -> Pasted:
    configuration = {
        "title": tool.name,
        "description": tool.description,
        "oidc_initiation_url": tool.login_url,
        "target_link_uri": tool.launch_url,
        "public_jwk_url": tool.jwks_url,
        "scopes": list(SCOPES),
        "extensions": [
            {
                "platform": "canvas.instructure.com",
                "privacy_level": "public",
                "settings": {
                    "placements": [
                        {
                            "placement": name,
                            "message_type": DEEP_LINKING_REQUEST,
                            "target_link_uri": tool.launch_url,
                        }
                        for name in CANVAS_PLACEMENTS
                    ]
                },
            }
        ],
    }
    return Pasted(
        "Admin, Developer Keys, “+ Developer Key”, “+ LTI Key”",
        (
            ("Key Name", tool.name),
            ("Redirect URIs", tool.launch_url),
            ("Method", "Paste JSON"),
            ("LTI 1.3 Configuration", json.dumps(configuration, indent=1)),
        ),
        "Turn the key on. Then install it: Settings, Apps, View App Configurations, “+ App”, By Client ID. "
        "The addresses below are those of Canvas's cloud; write your own school's address, such as "
        "https://school.instructure.com, under “More that may show it in a frame”.",
        {
            "client_id": "the long number under Details, in the key's row",
            "deployment_id": "Deployment Id, under the gear of the installed app",
        },
    )


def _blackboard(tool: Tool) -> Pasted:
    return Pasted(
        "developer.anthology.com, My Apps, “+”: one registration for all of your Blackboards",
        (
            ("Application Name", tool.name),
            ("Domain(s)", tool.url.partition("//")[2]),
            ("My Integration supports LTI 1.3", "ticked"),
            ("Login Initiation URL", tool.login_url),
            ("Tool Redirect URL(s)", tool.launch_url),
            ("Tool JWKS URL", tool.jwks_url),
            ("Signing Algorithm", "RS256"),
        ),
        "After “Register application” the page shows them. Then in Blackboard: Administrator Panel, "
        "Integrations, LTI Tool Providers, “Register LTI 1.3/Advantage Tool”, with the Application ID as "
        "Client ID; it shows the Deployment ID. Tool status: approved; allow grade service access and "
        "membership service access, and send role, name and email. Then Manage Placements, Create "
        f"Placement: “Deep Linking content tool”, with the target link URI {tool.launch_url}.",
        {
            "issuer": "Issuer",
            "client_id": "Application ID",
            "deployment_id": "Deployment ID, in Blackboard",
            "auth_login_url": "OIDC auth request endpoint",
            "auth_token_url": "Auth token endpoint",
            "jwks_url": "Public keyset URL",
        },
    )


def _brightspace(tool: Tool) -> Pasted:
    return Pasted(
        "Admin Tools, Manage Extensibility, LTI Advantage, “Register Tool”, Standard",
        (
            ("Name", tool.name),
            ("Domain", tool.url),
            ("Redirect URLs", tool.launch_url),
            ("OpenID Connect Login URL", tool.login_url),
            ("Target Link URI", tool.launch_url),
            ("Keyset URL", tool.jwks_url),
            ("Extensions", f"{_GRADES}, Deep Linking, {_NAMES}"),
        ),
        "The registration's page shows them. Then “View Deployments”, “New Deployment”: tick the same "
        "extensions, let it send name and email, and choose the org units; it shows the Deployment Id. In "
        "the deployment, “View Links”, “New Link”: type Deep Linking Quicklink, with the URL "
        f"{tool.launch_url}.",
        {
            "issuer": "Issuer",
            "client_id": "Client Id",
            "deployment_id": "Deployment Id, of the deployment",
            "auth_login_url": "OpenID Connect Authentication Endpoint",
            "auth_token_url": "Brightspace OAuth2 Access Token URL",
            "jwks_url": "Brightspace Keyset URL",
            "token_audience": "Brightspace OAuth2 Audience",
        },
    )


def _sakai(tool: Tool) -> Pasted:
    return Pasted(
        "Administration Workspace, External Tools, “Install LTI 1.x Tool”",
        (
            ("Tool Title", tool.name),
            ("Launch URL", tool.launch_url),
            ("LTI 1.3 Tool OpenID Connect/Initialization Endpoint", tool.login_url),
            ("LTI 1.3 Tool Keyset URL", tool.jwks_url),
            ("LTI 1.3 Tool Redirect Endpoint(s)", tool.launch_url),
            ("Send User Names to External Tool", "ticked"),
            ("Allow External Tool to return grades", "ticked"),
            ("Provide Roster to External Tool", "ticked"),
            ("Allow the tool to be selected from Lessons and Assignments (deep linking)", "ticked"),
        ),
        "After saving, the tool's page shows them.",
        {
            "issuer": "LTI 1.3 Platform Issuer",
            "client_id": "LTI 1.3 Client ID",
            "deployment_id": "LTI 1.3 Deployment ID",
            "auth_login_url": "LTI 1.3 Platform OIDC Authentication URL",
            "auth_token_url": "LTI 1.3 Platform OAuth2 Bearer Token Retrieval URL",
            "jwks_url": "LTI 1.3 Platform OAuth2 Well-Known/KeySet URL",
        },
    )


def _other(tool: Tool) -> Pasted:
    return Pasted(
        "Where the LMS registers a tool of LTI 1.3",
        (
            ("Launch, target or tool URL", tool.launch_url),
            ("OIDC login initiation URL", tool.login_url),
            ("Redirect URI", tool.launch_url),
            ("Public keyset (JWKS) URL", tool.jwks_url),
            ("Deep linking URL", tool.launch_url),
            ("Services", f"{_GRADES}; {_NAMES}"),
        ),
        "It shows in return: issuer, client id, authentication, token and keyset addresses.",
    )
