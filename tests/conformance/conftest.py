"""The ground of each backend: one zygote at a time, since tests come backend by backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from sandbox import Program
from tests.conformance.backends import started
from tests.conformance.ground import Ground


@pytest.fixture(scope="module")
def grounds() -> Iterator[Callable[[str], Ground]]:
    """The ground of a backend by name: one zygote at a time, since tests come backend by backend."""
    stack, current = ExitStack(), dict[str, Ground]()

    def ground(name: str) -> Ground:
        if name not in current:
            stack.close()
            current.clear()
            current[name] = Ground(name, stack.enter_context(contextmanager(started)(name)), stack)
        return current[name]

    with stack:
        yield ground


@pytest.fixture
def ground(request: pytest.FixtureRequest, grounds: Callable[[str], Ground]) -> Iterator[Ground]:
    found = grounds(request.param)
    yield found
    for guest in found.guests:
        guest.close()
    found.guests.clear()
    # Whatever was done: the next guest answers.
    with found.quick.guest({}, Program("script", "a.py", ("def f(): return 1",))) as guest:
        assert guest.call("f") == 1
