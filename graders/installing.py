"""How an optional part of Attest is installed: from the folder that Attest itself was installed from.

No package index has Attest, so the name alone would find nothing, or what somebody else calls so.
"""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAME = "attest-grader"


def install_command(extra: str) -> str:
    """Return what is run to install one of pyproject's extras into this environment."""
    try:
        kept = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        kept = None
    return command_from(extra, json.loads(kept or "{}"))


def command_from(extra: str, came_from: dict[str, object]) -> str:
    """Return the command where `direct_url.json` says this; without a folder, one for Attest's own."""
    parts = urlsplit(str(came_from.get("url", "")))
    folder = Path(url2pathname(parts.path))
    if parts.scheme != "file" or not (folder / "pyproject.toml").is_file():
        return f"in the folder of Attest's source, pip install {shlex.quote(f'.[{extra}]')}"
    info = came_from.get("dir_info")
    editable = ["--editable"] if isinstance(info, dict) and info.get("editable") else []
    return shlex.join([sys.executable, "-m", "pip", "install", *editable, f"{folder}[{extra}]"])
