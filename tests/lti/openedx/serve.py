"""Open edX's LTI platform as a process: python serve.py FOLDER LOGIN LAUNCH JWKS, the tool's addresses.

Runs with the Python that has lti-consumer-xblock, and knows nothing of Attest. Says in a line of JSON what a
tool must know of it, and serves until its standard input ends.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings


class Threaded(ThreadingMixIn, WSGIServer):
    """Answers while it asks the tool for its keys."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Says nothing of each request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def configure(folder: Path, url: str) -> None:
    """Settings as small as the platform allows."""
    settings.configure(
        SECRET_KEY=secrets.token_hex(32),
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        ROOT_URLCONF="addresses",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "openedx.sqlite3"}},
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "rest_framework",
            "django_filters",
            "lti_consumer",
        ],
        MIDDLEWARE=["edx_django_utils.cache.middleware.RequestCacheMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        USAGE_ID_PATTERN=r"(?P<usage_id>[^/]+@[^/]+)",
        LMS_ROOT_URL=url,
        PLATFORM_NAME="Open edX",
        USE_TZ=True,
        OPENEDX_TELEMETRY=[],
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"said": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["said"], "level": "WARNING"},
        },
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    )
    django.setup()


def register(login: str, launch: str, jwks: str) -> dict[str, str]:
    """Register the tool; return what it must know."""
    from django.core.management import call_command
    from lti_consumer.models import Lti1p3Passport, LtiConfiguration
    from lti_consumer.utils import (
        get_lms_lti_access_token_link,
        get_lms_lti_keyset_link,
        get_lms_lti_launch_link,
        get_lti_api_base,
    )

    call_command("migrate", verbosity=0, interactive=False)
    passport = Lti1p3Passport.objects.create(name="Attest", lti_1p3_tool_keyset_url=jwks)
    configuration = LtiConfiguration.objects.create(
        version=LtiConfiguration.LTI_1P3,
        config_store=LtiConfiguration.CONFIG_ON_DB,
        lti_1p3_passport=passport,
        lti_1p3_oidc_url=login,
        lti_1p3_launch_url=launch,
        lti_advantage_ags_mode=LtiConfiguration.LTI_ADVANTAGE_AGS_PROGRAMMATIC,
        lti_advantage_deep_linking_enabled=True,
        lti_advantage_deep_linking_launch_url=launch,
    )
    return {
        "issuer": get_lti_api_base(),
        "client_id": configuration.lti_1p3_client_id,
        "auth_login_url": get_lms_lti_launch_link(),
        "auth_token_url": get_lms_lti_access_token_link(passport.passport_id),
        "jwks_url": get_lms_lti_keyset_link(passport.passport_id),
    }


def main(folder: str, login: str, launch: str, jwks: str) -> None:
    with make_server("127.0.0.1", 0, None, Threaded, Quiet) as server:  # type: ignore[arg-type]
        configure(Path(folder), f"http://127.0.0.1:{server.server_port}")
        from django.core.wsgi import get_wsgi_application

        server.set_app(get_wsgi_application())
        print(json.dumps(register(login, launch, jwks)), flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
