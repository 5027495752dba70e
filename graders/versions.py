"""The versions that a Result depends on, found without importing what they are versions of."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Return the versions of Attest, torch and Python; "unknown" for what is not installed as a package."""
    return {
        "attest": _version("attest-grader", "attest-check"),
        "torch": _version("torch"),
        "python": platform.python_version(),
    }


@cache
def _version(*packages: str) -> str:
    for package in packages:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "unknown"
