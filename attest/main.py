"""The command line: what can be asked, and where it is done.

It must start at once: nothing but typer is imported here. Each command imports its own module when it is
called, and that module imports torch, pytest or pandas only when it needs them.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="attest",
    help="Grade PyTorch attention exercises: in a sandbox, with hidden tests, with feedback that teaches.",
    epilog="Start with: attest check FILE (a student), attest grade ASSIGNMENT PATH -o OUT (an instructor).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _path(given: str) -> Path:
    """Read a path of the command line. An empty one, as an unset variable leaves it, is no current folder."""
    if not given.strip():
        raise typer.BadParameter("it is empty; name a file or folder (the current one is a dot: .).")
    return Path(given)


SandboxOption = Annotated[
    str, typer.Option("--sandbox", metavar="BACKEND", help="How the sandbox is built; see `attest doctor`.")
]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"attest {version('attest-grader')}")
        except PackageNotFoundError:
            print("attest (not installed: run from a checkout)")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that stand before a command."""


@app.command()
def grade(  # noqa: PLR0917 - typer calls it by name
    assignment: Annotated[
        str, typer.Argument(help="An assignment's name (examples, examples/masks) or folder.")
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(
            parser=_path,
            metavar="PATH...",
            help="A folder with one file or folder per student, single files, or a zip.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            parser=_path,
            metavar="FOLDER",
            help="The folder for results and reports; made if need be.",
        ),
    ],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, max=256, help="How many to grade at once (default: one per core)."
        ),
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**53 - 1, help="Repeat an earlier run exactly (default: a new secret seed)."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run in OUT.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier run in OUT.")] = False,
) -> None:
    """Grade a cohort, and leave a report for each student, an index and a grade table in OUT.

    Exit status: 0 all graded, 1 some could not be (they are named), 2 wrong use, 130 stopped by Ctrl-C.
    """
    from attest.grade import GradeRequest, grade_command

    raise typer.Exit(
        grade_command(
            GradeRequest(assignment, tuple(paths), out, jobs, sandbox, seed, resume=resume, force=force)
        )
    )


@app.command()
def check(
    file: Annotated[
        Path,
        typer.Argument(
            parser=_path, metavar="FILE", help="Your script or notebook, or the folder that holds it."
        ),
    ],
    assignment: Annotated[
        str | None,
        typer.Option("--assignment", "-a", help="Which assignment (default: by the names the file defines)."),
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
) -> None:
    """Check your own work with the public checks.

    Exit status: 0 all checks passed, 1 some did not, 2 wrong use.
    """
    from attest.check import check_command

    raise typer.Exit(check_command(file, assignment, sandbox))


@app.command()
def validate(
    assignments: Annotated[
        list[str] | None, typer.Argument(metavar="[ASSIGNMENT...]", help="Names or folders of assignments.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every assignment that comes with Attest.")
    ] = False,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Repeat with this many different seeds.")] = 2,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this program, such as a variant's name; may be repeated."),
    ] = None,
    sandbox: SandboxOption = "bubblewrap",
) -> None:
    """Prove an assignment: right answers get full marks, the starter none, each variant loses.

    Exit status: 0 all as it should be, 1 something is not, 2 wrong use.
    """
    from attest.validate import validate_command

    raise typer.Exit(validate_command(assignments or [], everything, seeds, sandbox, only or []))


@app.command()
def report(
    out: Annotated[
        Path, typer.Argument(parser=_path, metavar="OUT", help="A folder that `attest grade` wrote.")
    ],
) -> None:
    """Render the reports again from the results, without grading."""
    from attest.report import report_command

    raise typer.Exit(report_command(out))


@app.command()
def doctor() -> None:
    """Say what works on this machine, what does not, and what would make it work."""
    from attest.doctor import doctor_command

    raise typer.Exit(doctor_command())


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


def main() -> None:
    """Entry point of the `attest` program."""
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
