"""What honest programs do with files, processes and clocks works everywhere: none loses points by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sandbox import Limits, Program, Sandbox
from tests.conformance.backends import NAMES, started

PROGRAMS = sorted(Path(__file__).with_name("honest").glob("*.py"))
# A busy machine is not what is tried here.
PATIENT = Limits(load_seconds=120, check_seconds=120, check_cpu_seconds=60, submission_seconds=600)


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[Callable[[str], Sandbox]]:
    """That of a backend by name: one zygote at a time, since tests come backend by backend."""
    stack, current = ExitStack(), dict[str, Sandbox]()

    def sandbox(name: str) -> Sandbox:
        if name not in current:
            stack.close()
            current.clear()
            current[name] = stack.enter_context(contextmanager(started)(name, PATIENT))
        return current[name]

    with stack:
        yield sandbox


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("backend", NAMES)
def test_it_works(sandboxes: Callable[[str], Sandbox], backend: str, program: Path) -> None:
    with sandboxes(backend).guest({}, Program("script", program.name, (program.read_text(),))) as guest:
        guest.start_check()
        assert guest.call("f") is True
        assert guest.report.notes == ()
