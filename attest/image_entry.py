"""What can be asked of `attest image`. It must start at once: nothing but typer is imported here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attest.entry import path

image = typer.Typer(
    name="image", help="The image of the docker sandbox.", no_args_is_help=True, rich_markup_mode=None
)


@image.callback()
def image_root() -> None:
    """What stands before a command of `attest image`."""


@image.command()
def build(  # noqa: PLR0917 - typer calls it by name
    base: Annotated[
        str | None,
        typer.Option(
            metavar="IMAGE",
            help="The image to begin with: one with Python, or a Debian or Ubuntu without "
            "(default: the slim image of Python that fits yours).",
        ),
    ] = None,
    wheelhouse: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="DIR", help="Install from the wheels in DIR, and from nowhere else."
        ),
    ] = None,
    make_wheelhouse: Annotated[
        bool, typer.Option(help="Make the wheelhouse DIR first, with this Python's pip.")
    ] = False,
    ca_bundle: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="FILE", help="Certificates to trust while building; not left in the image."
        ),
    ] = None,
    tag: Annotated[
        str | None, typer.Option(metavar="NAME", help="Another name than the one Attest looks for by itself.")
    ] = None,
    network: Annotated[
        str | None, typer.Option(help="The engine's network for the build, such as host.")
    ] = None,
    again: Annotated[bool, typer.Option(help="Build it even where it is there.")] = False,
) -> None:
    """Build the image: Python, PyTorch and the packages that submissions may import; nothing of the tests.

    Exit status: 0 it is there, 1 it could not be built, 2 wrong use.
    """
    from attest.image import build_command
    from sandbox.images import Build

    if make_wheelhouse and wheelhouse is None:
        raise typer.BadParameter("say where, with --wheelhouse DIR.", param_hint="--make-wheelhouse")
    if ca_bundle is not None and not ca_bundle.is_file():
        raise typer.BadParameter("there is no such file.", param_hint="--ca-bundle")
    asked = Build(base, wheelhouse, ca_bundle, tag, network)
    raise typer.Exit(build_command(asked, wheelhouse if make_wheelhouse else None, again))
