"""What every `attest` program has: options and commands of its own kind, and how it prints.

It must start at once: nothing but typer is imported here.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


def path(given: str | Path) -> Path:
    """Read a path of the command line, or what stands for it where none is given.

    An empty one, as an unset variable leaves it, is no current folder.
    """
    if not str(given).strip():
        raise typer.BadParameter("it is empty; name a file or folder (the current one is a dot: .).")
    return Path(given)


class Isolation(StrEnum):
    """How far apart submissions are under docker."""

    GUEST = "guest"
    CONTAINER = "container"


class Device(StrEnum):
    """What the submissions' code computes on."""

    CPU = "cpu"
    CUDA = "cuda"


@dataclass(frozen=True)
class Confined:
    """What was asked for of the sandbox."""

    backend: str
    trust: bool
    isolation: Isolation
    runtime: str | None
    device: Device


GradedFolder = Annotated[
    Path, typer.Argument(parser=path, metavar="OUT", help="A folder that `attest grade` wrote.")
]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        metavar="BACKEND",
        help="How the sandbox is built: bubblewrap, docker, user or none; see `attest doctor`.",
    ),
]
TrustOption = Annotated[
    bool,
    typer.Option("--i-trust-this-code", help="With --sandbox none: run others' code with all your rights."),
]
IsolationOption = Annotated[
    Isolation,
    typer.Option(
        "--isolation",
        help="With docker: many submissions in one container, each by itself, or a container for each.",
    ),
]
RuntimeOption = Annotated[
    str | None,
    typer.Option(
        "--runtime", metavar="NAME", help="With docker: the engine's runtime, such as runsc (gVisor)."
    ),
]
DeviceOption = Annotated[
    Device,
    typer.Option("--device", help="What the code computes on."),
]


def _version(wanted: bool) -> None:
    if wanted:
        from graders.versions import attest_version

        print(f"attest {attest_version() or '(not installed: run from a checkout)'}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that stand before a command."""


def check(  # noqa: PLR0917 - typer calls it by name
    file: Annotated[
        Path,
        typer.Argument(
            parser=path, metavar="FILE", help="Your script or notebook, or the folder that holds it."
        ),
    ],
    assignment: Annotated[
        str | None,
        typer.Option("--assignment", "-a", help="Which assignment (default: by the names the file defines)."),
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
    trust: TrustOption = False,
    isolation: IsolationOption = Isolation.GUEST,
    runtime: RuntimeOption = None,
    device: DeviceOption = Device.CPU,
) -> None:
    """Check your own work with the public checks.

    Exit status: 0 all checks passed, 1 some did not, 2 wrong use.
    """
    from attest.check import check_command

    raise typer.Exit(check_command(file, assignment, Confined(sandbox, trust, isolation, runtime, device)))


def submit(
    file: Annotated[
        Path,
        typer.Argument(
            parser=path, metavar="FILE", help="Your script or notebook, or the folder that holds it."
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="URL", help="The address of the assignment's page in the portal.")
    ],
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until it is graded, and print the points.")
    ] = False,
) -> None:
    """Hand in to a portal, by a token from its page “Tokens” (asked for once, or in ATTEST_TOKEN).

    Exit status: 0 received, 1 waited for and not graded, 2 not received.
    """
    from attest.submit import submit_command

    raise typer.Exit(submit_command(file, to, wait=wait))


def doctor(sandbox: SandboxOption = "bubblewrap") -> None:
    """Say what works on this machine, what does not, and what would make it work.

    A program inside the sandbox tries to get out, and it is said what held. Exit status: 0 all is well,
    1 something is not.
    """
    from attest.doctor import doctor_command

    raise typer.Exit(doctor_command(sandbox))


def new_app(help_text: str, epilog: str) -> typer.Typer:
    """Return a program without commands yet, with what all of ours share."""
    app = typer.Typer(
        name="attest",
        help=help_text,
        epilog=epilog,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    return app


class _Unprinted(Exception):
    """Standard output does not take what is printed; the message says why."""


class _Output(io.TextIOWrapper):
    """Standard output, whose troubles are told from those of every other file."""

    def write(self, text: str) -> int:
        with _told_apart():
            return super().write(text)

    def flush(self) -> None:
        with _told_apart():
            super().flush()


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # `attest check … | head`: nobody wants the rest
        raise
    except OSError as error:
        raise _Unprinted(error.strerror) from error


def run(app: typer.Typer) -> None:
    """Run a program on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show √ must not end a run
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper):
        old = sys.stdout
        encoding, buffered = old.encoding, old.line_buffering
        sys.stdout = _Output(old.detach(), encoding, "backslashreplace", line_buffering=buffered)
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except _Unprinted as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes once more at its end
        print(f"attest: what was to be printed cannot be written: {error}.", file=sys.stderr)
        raise SystemExit(1) from None
