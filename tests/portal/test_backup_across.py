"""A portal goes from SQLite to PostgreSQL and back: every row is as it was, and new ones follow."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attest.conftest import RIGHT
from tests.portal.filling import World, fill_portal, rows_of
from tests.portal.postgresql import programs, server
from tests.portal.running import Browser, Portal, links
from tests.portal.school import PASSWORD
from tests.portal.test_backup import attest
from tests.portal.test_serving import hand_in

SQLITE: dict[str, str] = {"DATABASE_URL": ""}


@pytest.fixture(scope="module")
def postgresql() -> Iterator[dict[str, str]]:
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed.")
    with server(found) as url:
        yield {"DATABASE_URL": url}


def backed_up(data: Path, env: dict[str, str]) -> Path:
    backup = data.with_suffix(".tar.gz")
    run = attest(data.parent, "backup", str(backup), "--data", str(data), env=env)
    assert run.returncode == 0, run.stderr
    return backup


def restored(backup: Path, data: Path, env: dict[str, str]) -> None:
    run = attest(data.parent, "restore", str(backup), "--data", str(data), env=env)
    assert run.returncode == 0, run.stderr


def files(backup: Path) -> dict[str, bytes]:
    with tarfile.open(backup) as archive:
        names = [name for name in archive.getnames() if name.startswith("files/") or name == "secret.key"]
        return {name: archive.extractfile(name).read() for name in names}  # type: ignore[union-attr]


def goes_on(data: Path, env: dict[str, str], world: World, *, attempt: int) -> None:
    """Use a portal that was brought back: old files are there, and new rows follow the old ones."""
    portal = Portal(data, "--workers", "0", env=env)
    try:
        busy = Browser(portal)
        signed_in = busy.post("/sign-in/", {"email": "busy@example.edu", "password": PASSWORD})
        assert "A large class" in signed_in.text
        (old,) = links(busy.get(f"/submissions/{world.numbers['busy']}/"), r"/files/\d+/")
        assert busy.get(old).text == "def double(x):\n    return x + 0\n"
        assert "Your new token" in busy.post("/me/tokens/", {"name": "laptop"}).text
        text = f"{RIGHT}# of attempt {attempt}\n"
        receipt = hand_in(busy, f"/assignments/{world.numbers['large-assignment']}/", text)
        page = busy.get(receipt)
        assert f"Attempt {attempt}" in page.text
        (file,) = links(page, r"/files/\d+/")
        assert busy.get(file).text == text
    finally:
        assert portal.end() == 0


def test_from_sqlite_to_postgresql_and_back(
    tmp_path: Path, doubling_folder: Path, postgresql: dict[str, str]
) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.mkdir()
    world = fill_portal(first, doubling_folder, SQLITE)
    whole = rows_of(first, SQLITE)
    assert [name for name, rows in whole.items() if not rows] == []  # a table without a row shows nothing

    backup = backed_up(first, SQLITE)
    restored(backup, second, postgresql)
    assert rows_of(second, postgresql) == whole
    goes_on(second, postgresql, world, attempt=10)
    whole = rows_of(second, postgresql)

    later = backed_up(second, postgresql)
    restored(later, third, SQLITE)
    assert rows_of(third, SQLITE) == whole
    assert set(files(later)) > set(files(backup))
    assert files(backed_up(third, SQLITE)) == files(later)
    goes_on(third, SQLITE, world, attempt=11)
