"""A PostgreSQL server of our own, in a folder of its own, reached by a socket and ended by its number."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"


def programs() -> Path | None:
    """Where the newest PostgreSQL's programs are."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0])
    )
    return found[-1].parent if found else None


@contextmanager
def server(bin_folder: Path) -> Iterator[str]:
    """Run one; yield the DATABASE_URL of an empty database."""
    folder = Path(tempfile.mkdtemp(prefix="attest-pg-", dir="/tmp"))  # a socket's path must be short
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        account = pwd.getpwnam(USER)
        os.chown(folder, account.pw_uid, account.pw_gid)
        as_user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    data = folder / "data"

    def run(*words: object, user: list[str] = as_user) -> None:
        """Run one of its programs."""
        command = [*user, *map(str, words)]
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, cwd=folder, timeout=120
        )

    try:
        run(bin_folder / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run(bin_folder / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        number = int((data / "postmaster.pid").read_text().splitlines()[0])
        try:
            run(bin_folder / "createdb", "-h", folder, "-U", USER, "portal", user=[])
            yield f"postgresql://{USER}@/portal?host={folder}"
        finally:
            os.kill(number, signal.SIGINT)  # its "fast" end: whoever is connected is put out
            run("tail", f"--pid={number}", "-f", os.devnull)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
