"""`attest serve`, `attest backup`, `attest restore`: the portal, with nothing to configure."""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from attest.terminal import ALL_WELL, console, sentences, shown_path, stop
from graders.installing import install_command
from reports.amounts import count_text

_NEEDED = ("django", "argon2", "joserfc", "urllib3", "uvicorn")


@dataclass(frozen=True)
class Serving:
    """What was asked on the command line."""

    host: str
    port: int
    url: str
    workers: int
    sandbox: str
    broker: str  # "" for none
    store: str
    uploads: str  # who may upload assignments


def serve_command(data: Path, asked: Serving) -> int:
    """Serve until it is told to stop; return the exit status."""
    if asked.broker:
        ready_broker(asked)
    os.environ["ATTEST_PORTAL_UPLOADS"] = asked.uploads
    ready_django(data, host=asked.host, url=asked.url, sandbox=asked.sandbox)
    look_at_port(asked.host, asked.port)
    from attest.portal.serving import prepare, serve

    prepare()
    serve(asked.host, asked.port, asked.workers)
    return ALL_WELL


def look_at_port(host: str, port: int) -> None:
    """Say what is wrong with where it is to listen, before anything is said to be there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            stop(f"port {port} is in use here, maybe by another portal; choose another with --port.")
        if error.errno == errno.EACCES:
            stop(f"port {port}: this user may not listen on it; choose one from 1024 on with --port.")
        stop(f"--host {host}: cannot be listened on ({error.strerror}); expected an address of this machine.")


def ready_broker(asked: Serving) -> None:
    """Put into the environment where the workers are; say what is missing for them."""
    from graders.cluster.broker import check_url, make_app
    from graders.cluster.envelope import ClusterError, read_key
    from graders.cluster.store import Store

    with sentences(ClusterError):
        os.environ["ATTEST_BROKER"] = check_url(asked.broker)
        make_app(asked.broker)
        read_key()
        if asked.store:
            Store(asked.store)
            os.environ["ATTEST_STORE"] = asked.store


def ready_django(data: Path, *, host: str = "", url: str = "", sandbox: str = "bubblewrap") -> None:
    """Set Django up for the portal whose data is in this folder; say what is missing for it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        stop(f"the portal needs {', '.join(missing)}. Run: {install_command('portal')}")
    from attest.portal import configuration

    os.environ["DJANGO_SETTINGS_MODULE"] = "attest.portal.settings"
    os.environ[configuration.DATA] = str(data.absolute())
    os.environ[configuration.HOSTS] = "" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared
    os.environ[configuration.SANDBOX] = sandbox
    if url:
        os.environ[configuration.URL] = url
    with sentences(configuration.ConfigurationError, OSError):
        found = configuration.read_configuration()
        needed = [find_spec(name) for name in ("psycopg", "psycopg_pool")]
        if found.database["ENGINE"].endswith("postgresql") and None in needed:
            stop(f"DATABASE_URL asks for PostgreSQL. Run: {install_command('postgresql')}")
        configuration.make_secret_key(data)
        configuration.make_database_file(found.database)
        import django

        django.setup(set_prefix=False)


def backup_command(out: Path, data: Path) -> int:
    """Write the whole portal to one file; return the exit status."""
    if not (data / "secret.key").is_file():
        stop(f"{shown_path(data)}: holds no portal; name its folder with --data.")
    ready_django(data)
    from attest.portal.backup import BackupError, back_up

    with sentences(BackupError):
        counted = back_up(out)
    return _say(f"{shown_path(out)} holds", counted.rows, counted.files)


def restore_command(backup: Path, data: Path) -> int:
    """Fill a new portal from such a file; return the exit status."""
    if data.is_dir() and any(data.iterdir()):
        stop(f"{shown_path(data)}: is not empty; name a new folder with --data.")
    ready_django(data)
    from attest.portal.backup import BackupError, bring_back

    with sentences(BackupError):
        counted = bring_back(backup)
    return _say(f"{shown_path(data)} is as it was:", counted.rows, counted.files)


def _say(what: str, rows: int, files: int) -> int:
    console().print(f"{what} {count_text(rows, 'row')} and {count_text(files, 'file')}.", soft_wrap=True)
    return ALL_WELL
