"""A portal goes into one file and comes back as it was, on whichever database."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from attest.portal.configuration import KEY
from tests.attest.conftest import RIGHT, write_assignment
from tests.portal.running import COMMAND, SETTINGS, Browser, Portal, links, new_database
from tests.portal.test_serving import PASSWORD, course_with_roster, first_administrator, hand_in, student


def attest(folder: Path, *words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in (*SETTINGS, "DATABASE_URL")}
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env={**kept, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A backup of a portal at work, and the address of a receipt in it."""
    folder = tmp_path_factory.mktemp("portal")
    database = new_database()
    portal = Portal(folder / "data", "--workers", "0", env=database)
    try:
        instructor = first_administrator(portal)
        assignment, link = course_with_roster(portal, instructor, write_assignment(folder / "doubling"))
        receipt = hand_in(student(portal, link), assignment, RIGHT)
        run = attest(folder, "backup", "portal.tar.gz", "--data", "data", env=database)
        assert run.returncode == 0, run.stderr
        assert "rows and 1 file." in run.stdout
        hand_in(instructor, assignment, RIGHT + "# after the backup\n")
    finally:
        portal.end()
    return folder / "portal.tar.gz", receipt.removeprefix(f"http://localhost:{portal.port}")


def test_it_comes_back_as_it_was(backed_up: tuple[Path, str], tmp_path: Path) -> None:
    backup, receipt = backed_up
    assert backup.stat().st_mode & 0o077 == 0  # whoever reads it has everything
    database = new_database()
    run = attest(tmp_path, "restore", str(backup), "--data", "again", env=database)
    assert run.returncode == 0, run.stderr

    portal = Portal(tmp_path / "again", "--workers", "0", env=database)
    try:
        lena = Browser(portal)
        lena.post("/sign-in/", {"email": "lena@example.edu", "password": PASSWORD})
        page = lena.get(receipt)
        (file,) = links(page, r"/files/\d+/")
        assert lena.get(file).text == RIGHT
        assignment = links(page, r"/assignments/\d+/")[0]
        new = hand_in(lena, assignment, RIGHT + "# and on it goes\n")
        assert "Attempt 2" in lena.get(new).text
        assert portal.rows("select count(*) from handing_in_submission") == [(2,)]
        assert (tmp_path / "again" / "secret.key").stat().st_mode & 0o777 == 0o600
    finally:
        portal.end()


def test_nothing_that_is_there_is_written_over(backed_up: tuple[Path, str], tmp_path: Path) -> None:
    backup, _ = backed_up
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()

    into_full = attest(tmp_path, "restore", str(backup), "--data", "full", env=new_database())
    over = attest(tmp_path, "backup", str(backup), "--data", str(backup.parent / "data"), env={})
    of_nothing = attest(tmp_path, "backup", "new.tar.gz", "--data", "nowhere", env={})

    assert (into_full.returncode, over.returncode, of_nothing.returncode) == (2, 2, 2)
    assert "is not empty" in into_full.stderr
    assert "is there already" in over.stderr
    assert "holds no portal" in of_nothing.stderr


@pytest.mark.parametrize(
    "damage", ["cut", "a file changed", "other tables", "no backup", "a folder", "no JSON", "no key"]
)
def test_of_a_damaged_backup_nothing_is_taken(
    backed_up: tuple[Path, str], tmp_path: Path, damage: str
) -> None:
    backup, _ = backed_up
    damaged = tmp_path / "damaged.tar.gz"
    if damage == "cut":
        damaged.write_bytes(backup.read_bytes()[:-2000])
    elif damage == "no backup":
        damaged.write_bytes(b"not at all")
    else:
        rewrite(backup, damaged, damage)
    database = new_database()

    run = attest(tmp_path, "restore", str(damaged), "--data", "again", env=database)

    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1, run.stderr
    with tarfile.open(backup) as archive:
        key = archive.extractfile(KEY)
        assert key is not None
        assert (tmp_path / "again" / KEY).read_bytes() != key.read()
    portal = Portal(tmp_path / "again", "--workers", "0", env=database)
    try:
        assert portal.rows("select count(*) from people_person") == [(0,)]
    finally:
        portal.end()


def rewrite(backup: Path, damaged: Path, damage: str) -> None:
    with tarfile.open(backup) as old, tarfile.open(damaged, "w:gz") as new:
        for member in old:
            content = old.extractfile(member)
            assert content is not None
            data = content.read()
            if damage == "a file changed" and member.name.startswith("files/"):
                data = b"#" + data[1:]
            elif damage == "other tables" and member.name == "manifest.json":
                data = json.dumps({**json.loads(data), "tables": ["people.0099_later"]}).encode()
            elif damage == "no JSON" and member.name == "manifest.json":
                data = data[1:]
            elif damage == "a folder" and member.name.startswith("files/"):
                member.type, data = tarfile.DIRTYPE, b""
            elif damage == "no key" and member.name == KEY:
                continue
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
