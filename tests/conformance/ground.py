"""What the suite has of one backend, and which backends a test of it is for."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from sandbox import Guest, Program, Sandbox
from sandbox.undefended import UNDEFENDED
from tests.conformance.backends import NAMES
from tests.sandbox.conftest import QUICK


class Ground:
    """The sandboxes of one backend, and guests that are closed with the test."""

    def __init__(self, name: str, family: Sandbox, stack: ExitStack) -> None:
        self.name = name
        self.family = family
        self.quick = stack.enter_context(family.attach(QUICK))
        self.guests: list[Guest] = []

    def load(self, source: str, **more: object) -> Guest:
        guest = self.quick.guest({}, Program("script", "answer.py", (source,), **more))  # type: ignore[arg-type]
        self.guests.append(guest)
        guest.start_check()
        return guest


def on(*kinds: str, but: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """Run on every backend that claims all of `kinds`, `but` for some."""
    names = [name for name in NAMES if not set(kinds) & set(UNDEFENDED[name]) and name not in but]
    return pytest.mark.parametrize("ground", names, indirect=True, scope="module")
