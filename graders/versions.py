"""The versions that a Result depends on, found without importing what they are versions of."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Return the versions of Attest, torch and Python; "unknown" for what is not installed as a package."""
    return {
        "attest": attest_version() or "unknown",
        "torch": _version("torch") or "unknown",
        "python": platform.python_version(),
    }


def public(version: str) -> str:
    """Return a version without what says for which processor it was built (2.9.0+cpu)."""
    return version.partition("+")[0]


def attest_version() -> str | None:
    """Return Attest's version, by whichever of its two packages is installed; None for neither."""
    return _version("attest-grader") or _version("attest-check")


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
