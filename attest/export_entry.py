"""What can be asked of `attest export`. It must start at once: nothing but typer is imported here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attest.entry import path

export = typer.Typer(
    name="export",
    help="Write an assignment as a package for another autograder.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
AssignmentArgument = Annotated[
    str,
    typer.Argument(metavar="ASSIGNMENT", help="A name (examples, examples/masks) or folder."),
]
OutOption = Annotated[
    Path, typer.Option("--out", "-o", parser=path, metavar="FILE", help="The zip to write.")
]
TorchOption = Annotated[
    str | None,
    typer.Option(
        "--torch-index",
        metavar="URL",
        help="PyTorch's index of CPU builds, which its installation page names: saves about 3 GB there.",
    ),
]
WheelhouseOption = Annotated[
    Path | None,
    typer.Option(
        parser=path,
        metavar="DIR",
        help="Put the wheels in DIR into it, and install from them alone.",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace what an earlier call wrote.")]


@export.callback()
def export_root() -> None:
    """What stands before a command of `attest export`."""


@export.command()
def gradescope(  # noqa: PLR0917 - typer calls it by name
    assignment: AssignmentArgument,
    out: OutOption,
    attempts: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="Grade this many attempts of a student (default: all)."),
    ] = None,
    late: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="What coming late costs: '10% per day, at most 50%, grace 15 min', or none (default: the "
            "assignment's policy). The due date is that in Gradescope.",
        ),
    ] = None,
    minutes: Annotated[
        int,
        typer.Option(min=2, max=40, help="The Autograder Timeout that is set in Gradescope, in minutes."),
    ] = 10,
    torch_index: TorchOption = None,
    wheelhouse: WheelhouseOption = None,
    force: ForceOption = False,
) -> None:
    """Write an autograder for a programming assignment of Gradescope: hidden tests, in a sandbox.

    Exit status: 0 written, 2 wrong use.
    """
    from attest.packages.contents import Sources
    from attest.packages.export import ExportRequest, export_command

    sources = Sources(torch_index, wheelhouse)
    request = ExportRequest(assignment, out, sources, force, attempts, late, minutes)
    raise typer.Exit(export_command("gradescope", request))


@export.command()
def prairielearn(  # noqa: PLR0917 - typer calls it by name
    assignment: AssignmentArgument,
    out: OutOption,
    image: Annotated[
        str,
        typer.Option(metavar="NAME", help="What the image is called where PrairieLearn pulls it."),
    ],
    torch_index: TorchOption = None,
    wheelhouse: WheelhouseOption = None,
    force: ForceOption = False,
) -> None:
    """Write a question for PrairieLearn, and the folder that its grader's image is built from.

    Exit status: 0 written, 2 wrong use.
    """
    from attest.packages.contents import Sources
    from attest.packages.export import ExportRequest, export_command

    request = ExportRequest(assignment, out, Sources(torch_index, wheelhouse), force, image=image)
    raise typer.Exit(export_command("prairielearn", request))


@export.command()
def github_classroom(
    assignment: AssignmentArgument,
    out: OutOption,
    notebooks: Annotated[
        bool, typer.Option("--notebooks", help="Students begin with notebooks (default: with scripts).")
    ] = False,
    torch_index: TorchOption = None,
    force: ForceOption = False,
) -> None:
    """Write a template repository for GitHub Classroom: the handout, and a workflow with the public checks.

    Nothing hidden is in it, for students can read all of it. Exit status: 0 written, 2 wrong use.
    """
    from attest.packages.contents import Sources
    from attest.packages.export import ExportRequest, export_command

    request = ExportRequest(assignment, out, Sources(torch_index), force, notebooks=notebooks)
    raise typer.Exit(export_command("github-classroom", request))
