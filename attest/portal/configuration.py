"""What a portal is started with, read from the environment once. Knows nothing of Django.

`attest serve` puts its options there, so that the server and the workers that it starts agree.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from attest.portal.locked import locked

DATA = "ATTEST_PORTAL_DATA"
URL = "ATTEST_PORTAL_URL"
HOSTS = "ATTEST_PORTAL_HOSTS"
SANDBOX = "ATTEST_PORTAL_SANDBOX"
DATABASE = "DATABASE_URL"

BROKER = "ATTEST_BROKER"
STORE = "ATTEST_STORE"
UPLOADS = "ATTEST_PORTAL_UPLOADS"
PRIVATE_PLATFORMS = "ATTEST_PORTAL_PRIVATE_PLATFORMS"

ADMINISTRATORS, INSTRUCTORS = "administrators", "instructors"  # who may upload assignments

KEY = "secret.key"
RUN = "broker.run"
_POSTGRESQL = ("postgresql", "postgres")


class ConfigurationError(ValueError):
    """A setting cannot be used. The message names it, what was found and what was expected."""


@dataclass(frozen=True)
class Configuration:
    """Where a portal keeps what it is given, and how it is reached."""

    data: Path
    database: dict[str, Any]  # as Django takes it
    url: str = ""  # as people reach it: "https://attest.example.edu"; "" on this machine alone
    hosts: tuple[str, ...] = ()  # names by which it may be asked for
    sandbox: str = "bubblewrap"
    broker: str = ""  # the Redis or RabbitMQ of workers on other machines; "" for none
    store: str = ""  # where what is large for the broker lies
    uploads: str = ADMINISTRATORS
    private_platforms: bool = False  # whether an LMS may be in a private network, or asked by plain http

    @property
    def files(self) -> Path:
        """Where what students hand in lies; below no folder that is served."""
        return self.data / "files"

    @property
    def is_secure(self) -> bool:
        """Whether people reach it by https, so that cookies never travel without."""
        return self.url.startswith("https://")


def read_configuration(environ: Mapping[str, str] = os.environ) -> Configuration:
    """Return the configuration. Raises ConfigurationError."""
    data = Path(environ.get(DATA) or "attest-portal").absolute()
    url = environ.get(URL, "").rstrip("/")
    named = [name for name in environ.get(HOSTS, "").split(",") if name]
    if url:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
            raise ConfigurationError(
                f"{URL}: {url!r} is no address; expected such as https://attest.example.edu, without a path."
            )
        named.append(parts.hostname)
    hosts = tuple(dict.fromkeys((*named, "localhost", "127.0.0.1", "[::1]", socket.gethostname())))
    database = read_database(environ.get(DATABASE) or f"sqlite:///{data / 'portal.sqlite3'}")
    uploads = environ.get(UPLOADS) or ADMINISTRATORS
    if uploads not in (ADMINISTRATORS, INSTRUCTORS):
        raise ConfigurationError(
            f"{UPLOADS}: {uploads!r} was found; expected {ADMINISTRATORS} or {INSTRUCTORS}."
        )
    private = environ.get(PRIVATE_PLATFORMS) or "no"
    if private not in ("yes", "no"):
        raise ConfigurationError(f"{PRIVATE_PLATFORMS}: {private!r} was found; expected yes or no.")
    return Configuration(
        data,
        database,
        url,
        hosts,
        environ.get(SANDBOX) or "bubblewrap",
        environ.get(BROKER, ""),
        environ.get(STORE, ""),
        uploads,
        private == "yes",
    )


def read_database(url: str) -> dict[str, Any]:
    """Return `url` as Django's settings of a database. Raises ConfigurationError, which quotes no password.

    sqlite:///FILE, or postgresql://USER:PASSWORD@HOST:PORT/NAME, where ?host=/FOLDER names a Unix socket.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"{DATABASE}: cannot be read ({error}).") from None
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path[1:]),
            "OPTIONS": {
                "timeout": 30,
                # A transaction that begins by reading and then writes would otherwise fail at once
                # when another has written in between.
                "transaction_mode": "IMMEDIATE",
                # What is removed is overwritten: of who is forgotten nothing stays in the file.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                "PRAGMA secure_delete=ON;",
            },
        }
    if parts.scheme not in _POSTGRESQL or not parts.path.strip("/"):
        raise ConfigurationError(
            f"{DATABASE}: begins with {parts.scheme or 'nothing'!r}; expected "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:///FILE."
        )
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(port or ""),
        "OPTIONS": options,
        "CONN_HEALTH_CHECKS": True,
    }


def make_secret_key(data: Path) -> None:
    """Make the key that sessions and links are signed with, unless it is there."""
    _make_once(data / KEY, secrets.token_urlsafe(48))


def run_name(data: Path) -> str:
    """Return the name by which workers at a broker know this portal; made where there is none.

    No backup holds it: a portal that was brought back elsewhere does not take the answers of the first.
    """
    _make_once(data / RUN, secrets.token_hex(16))
    return (data / RUN).read_text("ascii").strip()


def _make_once(path: Path, text: str) -> None:
    """Make a file with this text, unless it is there. Nobody ever finds it without its text."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.exists():
        return
    with locked(path.parent / "start.lock"):
        if path.exists():
            return
        made = path.with_name(f".{path.name}.part")
        made.unlink(missing_ok=True)
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        made.rename(path)


def make_database_file(database: Mapping[str, Any]) -> None:
    """Make SQLite's file, unless it is there, for nobody else on the machine to read.

    SQLite gives the files beside it the same rights.
    """
    if database["ENGINE"].endswith("sqlite3"):
        os.close(os.open(database["NAME"], os.O_RDWR | os.O_CREAT, 0o600))


def read_secret_key(data: Path) -> str:
    """Return the key; "", with which Django signs nothing, where none was made. Raises ConfigurationError."""
    path = data / KEY
    if not path.exists():
        return ""
    key = path.read_text("ascii").strip()
    if len(key) < 32:
        raise ConfigurationError(
            f"{path}: holds no key. Remove it: a new one is made, and everybody signs in again."
        )
    return key
