"""What can be asked about a portal on the command line: run it, write it to a file, bring it back.

It must start at once: nothing but typer is imported here.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from attest.entry import SandboxOption, path
from attest.worker_entry import BrokerOption, StoreOption


class Uploaders(StrEnum):
    """Who may upload assignments."""

    ADMINISTRATORS = "administrators"
    INSTRUCTORS = "instructors"


PortalOption = Annotated[
    Path,
    typer.Option(
        "--data",
        parser=path,
        metavar="FOLDER",
        help="The folder that holds all of the portal; made if need be.",
    ),
]


def backup(
    out: Annotated[
        Path, typer.Argument(parser=path, metavar="FILE", help="The file to write: portal.tar.gz.")
    ],
    data: PortalOption = Path("attest-portal"),
) -> None:
    """Write a portal, rows and files, to one file; it may be at work meanwhile.

    Whoever has the file has everything in it: keep it as you keep the portal.
    """
    from attest.serve import backup_command

    raise typer.Exit(backup_command(out, data))


def restore(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE", help="What `attest backup` wrote.")],
    data: PortalOption = Path("attest-portal"),
) -> None:
    """Fill a new portal from a backup, on SQLite or, with DATABASE_URL, on an empty PostgreSQL database."""
    from attest.serve import restore_command

    raise typer.Exit(restore_command(file, data))


def serve(  # noqa: PLR0917 - typer calls it by name
    data: PortalOption = Path("attest-portal"),
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8000,
    url: Annotated[
        str, typer.Option(metavar="URL", help="How people reach it, such as https://attest.example.edu.")
    ] = "",
    workers: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=256,
            help="How many to grade at once on this machine (default: one per core; with a broker none).",
        ),
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
    uploads: Annotated[
        Uploaders,
        typer.Option(
            envvar="ATTEST_PORTAL_UPLOADS",
            show_envvar=False,
            help="Who may upload assignments, whose tests run on this machine outside the sandbox.",
        ),
    ] = Uploaders.ADMINISTRATORS,
    broker: BrokerOption = None,
    store: StoreOption = None,
) -> None:
    """Run the web portal: students hand in, instructors grade, everyone sees where things stand.

    The first start prints a link by which the first administrator is made.
    DATABASE_URL=postgresql://… makes it run on PostgreSQL in place of SQLite, --broker or ATTEST_BROKER
    has `attest worker`s on other machines grade.
    """
    from attest.serve import Serving, serve_command
    from graders.cohort import usable_cores

    number = (0 if broker else usable_cores()) if workers is None else workers
    asked = Serving(host, port, url, number, sandbox, broker or "", store or "", uploads.value)
    raise typer.Exit(serve_command(data, asked))
