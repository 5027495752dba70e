"""Which backends the conformance suite and the hostile corpus run on, and which are missing here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from sandbox import Limits, Sandbox, SandboxBroken
from sandbox.backend import BackendOptions
from sandbox.backends import BACKENDS

NAMES = tuple(BACKENDS)
# `none` confines nothing: it is for one's own work alone, and claims nothing of what strangers try.
ISOLATING = tuple(name for name in NAMES if name != "none")
# The whole corpus on every backend takes minutes; `make hostile` asks for it.
EVERY = os.environ.get("ATTEST_HOSTILE") == "all"


def started(name: str, limits: Limits = Limits()) -> Iterator[Sandbox]:  # noqa: B008
    """A zygote of a backend, for a session of tests; the test is skipped where the machine lacks it."""
    if name == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap (bwrap) is not installed")
    if name == "user" and os.geteuid() != 0:
        pytest.skip("the backend user needs root, to give each guest a uid of its own")
    with Sandbox(name, limits, options=BackendOptions(trust=name == "none")) as sandbox:
        try:
            sandbox.start()
        except SandboxBroken as error:
            if name == "bubblewrap":
                raise
            pytest.skip(f"{name}: {error}")
        yield sandbox
