"""One zygote for all tests of the sandbox, and quick limits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox import Guest, Limits, Program, Sandbox, SandboxBroken
from sandbox.engine import Engine, connect, find_image

HOSTILE = Path(__file__).with_name("hostile")

# Small enough that reaching one takes no time.
QUICK = Limits(
    load_seconds=3.0,
    check_seconds=1.0,
    check_cpu_seconds=5.0,
    memory_bytes=192 * 2**20,
    processes=32,
    open_files=64,
    file_bytes=8 * 2**20,
    disk_bytes=24 * 2**20,
    output_bytes=4096,
    output_flood_bytes=2**20,
)


def script(source: str, path: str = "answer.py", **more: object) -> Program:
    return Program("script", path, (source,), **more)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def family() -> Iterator[Sandbox]:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")
    with Sandbox() as sandbox:
        sandbox.start()
        yield sandbox


@pytest.fixture(scope="session")
def sandbox(family: Sandbox) -> Iterator[Sandbox]:
    """With quick limits, over the one zygote."""
    with family.attach(QUICK) as attached:
        yield attached


@pytest.fixture(scope="session")
def roomy(family: Sandbox) -> Iterator[Sandbox]:
    """With the limits that real grading has."""
    with family.attach() as attached:
        yield attached


@pytest.fixture(scope="session")
def engine() -> Engine:
    """A Docker engine that has the image."""
    try:
        found = connect()
        find_image(found, None)
    except SandboxBroken as error:
        pytest.skip(str(error))
    return found


@pytest.fixture
def load(sandbox: Sandbox) -> Iterator[Callable[..., Guest]]:
    """Loads source, or a file of the hostile corpus by name, in a guest that is closed with the test."""
    guests: list[Guest] = []

    def load(
        source: str, files: dict[str, bytes] | None = None, into: Sandbox = sandbox, **more: object
    ) -> Guest:
        if source.isidentifier():
            source = (HOSTILE / f"{source}.py").read_text()
        guest = into.guest(files or {}, script(source, **more))
        guests.append(guest)
        guest.start_check()
        return guest

    yield load
    for guest in guests:
        guest.close()
