"""What this installation has to offer or to ask for, and in one sentence how two of them differ."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from graders.cluster.letters import Terms
from graders.result import SCHEMA_VERSION
from graders.versions import public, versions

_DECIDING = ("graders", "reference", "sandbox")  # packages whose code decides a verdict


def terms(backend: str, device: str) -> Terms:
    """Return the terms of this installation."""
    found = versions()
    return Terms(found["attest"], _code(), public(found["torch"]), SCHEMA_VERSION, backend, device)


def difference(asked: Terms, here: Terms) -> str:
    """Say what a worker has otherwise than the command asks for, and what to do; "" for nothing."""
    pairs = [
        ("Attest", asked.attest, here.attest, "Install the same version in both places"),
        ("PyTorch", asked.torch, here.torch, "Install the same version in both places"),
        ("schema of results", str(asked.schema), str(here.schema), "Install the same Attest in both places"),
        ("code of Attest", asked.code, here.code, "Install the same Attest in both places"),
        ("sandbox", asked.backend, here.backend, "Give both the same --sandbox"),
        ("device", asked.device, here.device, "Start the worker with the --queue of that device"),
    ]
    for what, wanted, found, step in pairs:
        if wanted != found:
            return f"its {what} is {found}, and {wanted} is asked for. {step}."
    return ""


@cache
def _code() -> str:
    """Hash the installed code: a checkout has one version and many states."""
    digest = hashlib.sha256()
    for package in _DECIDING:
        spec = find_spec(package)
        for place in spec.submodule_search_locations or () if spec else ():
            root = Path(place)
            for path in sorted(root.rglob("*.py")):
                data = path.read_bytes()
                digest.update(f"{package}/{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:12]
