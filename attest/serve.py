"""`attest serve`, `attest backup`, `attest restore`: the portal, with nothing to configure."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from attest.terminal import ALL_WELL, console, sentences, shown_path, stop
from reports.amounts import count_text

_NEEDED = ("django", "argon2", "uvicorn")


def serve_command(data: Path, where: tuple[str, int], *, url: str, workers: int, sandbox: str) -> int:
    """Serve at `where`, a host and a port, until it is told to stop; return the exit status."""
    host, port = where
    ready_django(data, host=host, url=url, sandbox=sandbox)
    from attest.portal.serving import prepare, serve

    prepare()
    serve(host, port, workers)
    return ALL_WELL


def ready_django(data: Path, *, host: str = "", url: str = "", sandbox: str = "bubblewrap") -> None:
    """Set Django up for the portal whose data is in this folder; say what is missing for it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        stop(f"the portal needs {', '.join(missing)}: pip install 'attest-grader[portal]'.")
    from attest.portal import configuration

    os.environ["DJANGO_SETTINGS_MODULE"] = "attest.portal.settings"
    os.environ[configuration.DATA] = str(data.absolute())
    os.environ[configuration.HOSTS] = "" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared
    os.environ[configuration.SANDBOX] = sandbox
    if url:
        os.environ[configuration.URL] = url
    with sentences(configuration.ConfigurationError, OSError):
        found = configuration.read_configuration()
        if found.database["ENGINE"].endswith("postgresql") and find_spec("psycopg") is None:
            stop("DATABASE_URL asks for PostgreSQL: pip install 'attest-grader[postgresql]'.")
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
