"""`attest image build`: the image of the docker backend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, shown_path, stop
from reports.visible_text import visible_text
from sandbox.errors import SandboxBroken

if TYPE_CHECKING:
    from sandbox.images import Build


def build_command(build: Build, make_wheelhouse: Path | None, again: bool) -> int:
    """Build the image unless it is there; return the exit status."""
    from sandbox import engine, images

    screen = console()
    name = build.tag or images.image_name()
    try:
        connected = engine.connect()
        if not again and engine.has_image(connected, build.tag):
            screen.print(f"The image {name} is there and fits this version of Attest.", soft_wrap=True)
            return ALL_WELL
        if make_wheelhouse is not None:
            screen.print(f"Making wheels in {shown_path(make_wheelhouse)}.", soft_wrap=True)
            images.make_wheelhouse(make_wheelhouse)
        screen.print(f"Building the image {name}: some minutes, mostly for PyTorch.", soft_wrap=True)
        for line in images.build_image(connected.client, build):
            screen.print(f"  {harmless(visible_text(line))}", markup=False, soft_wrap=True)
    except SandboxBroken as error:
        stop(f"{error}.", NOT_ALL_WELL)
    screen.print(f"The image {name} is ready. Use it with: --sandbox docker", soft_wrap=True)
    return ALL_WELL
