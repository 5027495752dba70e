"""A portal in one file: every row and every handed-in file, as they were at one moment, and back.

The rows are JSON, so that what was on SQLite can come back on PostgreSQL. A portal may be at work meanwhile:
rows are read in one snapshot, and the files that they name never change.

    manifest.json    what this is, and which tables it fits
    secret.key
    rows.jsonl       as Django's serializers write them
    files/ab/abcd…   by hash
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core import serializers
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import Error, connection, connections, models, transaction
from django.db.migrations.loader import MigrationLoader

from attest.portal.configuration import KEY
from attest.portal.contents import named_digests
from attest.portal.handing_in.keeping import Missing, Store
from attest.portal.people.models import Person
from graders.versions import attest_version

FORMAT = 1
_ROWS_AT_ONCE = 200
_MANIFEST, _ROWS = "manifest.json", "rows.jsonl"


class BackupError(ValueError):
    """A backup cannot be made or brought back. The message says why, and what to do."""


@dataclass(frozen=True)
class Counted:
    """What a backup holds."""

    rows: int
    files: int


def back_up(out: Path) -> Counted:
    """Write the whole portal to `out`, which is not there before it is whole. Raises BackupError."""
    if out.exists():
        raise BackupError(f"{out}: is there already. Name a new file.")
    store = Store(settings.CONFIGURATION.files)
    try:
        with tempfile.NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}.", delete=False) as file:
            try:
                counted = _write(file, store)
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, out)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise BackupError(f"{out}: cannot be written ({error.strerror or error}).") from None
    return counted


def _write(file: IO[bytes], store: Store) -> Counted:
    with tarfile.open(fileobj=file, mode="w|gz") as archive, tempfile.TemporaryFile() as rows:
        with _snapshot():
            number = _dump(rows)
            digests = sorted(named_digests())
        manifest = {
            "format": FORMAT,
            "attest": attest_version(),
            "tables": _tables(),
            "rows": number,
            "files": len(digests),
        }
        _add(archive, _MANIFEST, json.dumps(manifest, indent=1).encode())
        _add(archive, KEY, (settings.CONFIGURATION.data / KEY).read_bytes())
        size = rows.tell()
        rows.seek(0)
        info = tarfile.TarInfo(_ROWS)
        info.size, info.mode = size, 0o600
        archive.addfile(info, rows)
        for digest in digests:
            try:
                _add(archive, f"files/{digest[:2]}/{digest}", store.read(digest))
            except Missing as missing:
                raise BackupError(str(missing)) from None
    return Counted(number, len(digests))


def bring_back(backup: Path) -> Counted:
    """Fill a new portal from a backup. Raises BackupError; then nothing of it is in the database."""
    store = Store(settings.CONFIGURATION.files)
    call_command("migrate", interactive=False, verbosity=0)
    if Person.objects.exists():
        raise BackupError(
            "this portal is not empty; name a new folder with --data, or an empty database in DATABASE_URL."
        )
    try:
        with tarfile.open(backup, mode="r|gz") as archive:
            return _read(archive, store)
    except (OSError, tarfile.TarError, EOFError) as error:
        raise BackupError(f"{backup}: cannot be read ({error}). Take another backup.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BackupError(
            f"{backup}: cannot be read ({type(error).__name__}). Take another backup."
        ) from None
    except (serializers.base.DeserializationError, Error) as error:
        raise BackupError(f"{backup}: its rows do not fit ({type(error).__name__}). Take another.") from None


def _read(archive: tarfile.TarFile, store: Store) -> Counted:
    manifest: dict[str, Any] = {}
    files, key = 0, b""
    with transaction.atomic(), connection.constraint_checks_disabled():
        for member in archive:
            content = archive.extractfile(member)
            if content is None:
                raise BackupError(f"{member.name}: is no file. Take another backup.")
            if member.name == _MANIFEST:
                manifest = json.loads(content.read())
                _fits(manifest)
            elif member.name == KEY:
                key = content.read()
            elif member.name == _ROWS:
                _load(content)
            else:
                data = content.read()
                if hashlib.sha256(data).hexdigest() != Path(member.name).name:
                    raise BackupError(f"{member.name}: is damaged. Take another backup.")
                store.keep(data)
                files += 1
        connection.check_constraints()
        _renumber()
        if not key or files != manifest.get("files") or _count() != manifest.get("rows"):
            raise BackupError("the backup is not whole. Take another.")
        _replace_key(key)  # before the rows are committed: they never stand without it
    return Counted(manifest["rows"], files)


def _fits(manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise BackupError(f"this is no backup that this version knows: format {manifest.get('format')!r}.")
    if manifest.get("tables") != _tables():
        raise BackupError(
            f"the backup was made by version {manifest.get('attest')} with other tables. Install that "
            "version, bring it back there, and then install this one."
        )


def _models() -> list[type[models.Model]]:
    """All that is ours, in an order in which rows can be made."""
    ours = [
        (config, list(config.get_models()))
        for config in apps.get_app_configs()
        if config.name.startswith("attest.portal.")
    ]
    return list(serializers.sort_dependencies(ours, allow_cycles=True))


def _tables() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationLoader(None).graph.leaf_nodes() if _is_ours(app))


def _is_ours(app: str) -> bool:
    return apps.get_app_config(app).name.startswith("attest.portal.")


def _dump(out: IO[bytes]) -> int:
    number = 0
    for model in _models():
        rows = model._default_manager.order_by("pk").iterator(_ROWS_AT_ONCE)
        for row in rows:
            text = serializers.serialize("jsonl", [row], cls=_Exact)
            out.write(text.encode())
            number += 1
    return number


class _Exact(DjangoJSONEncoder):
    """Writes times to the microsecond; Django would cut them to the millisecond."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def _load(rows: IO[bytes]) -> None:
    for row in serializers.deserialize("jsonl", (line.decode() for line in rows)):
        row.save(force_insert=True)


def _count() -> int:
    return sum(model._default_manager.count() for model in _models())


def _renumber() -> None:
    """Have new rows numbered after those that came back."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(statement)


def _replace_key(key: bytes) -> None:
    path = settings.CONFIGURATION.data / KEY
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)


@contextmanager
def _snapshot() -> Iterator[None]:
    """See the database as it is now, whatever is written meanwhile, and keep nobody from writing."""
    if connection.vendor == "sqlite":
        connection.close()
        connections.settings["default"]["OPTIONS"]["transaction_mode"] = "DEFERRED"
    with transaction.atomic():
        if connection.vendor == "postgresql":
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    archive.addfile(info, io.BytesIO(data))
