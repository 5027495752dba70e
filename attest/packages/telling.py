"""What a package says: results.json for the autograder, and lines for its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attest.terminal import harmless
from graders.writing_whole import write_whole
from reports.visible_text import visible_text


def write_results(root: Path, found: dict[str, Any]) -> None:
    """Write results/results.json below `root`, whole: it is read whenever the grading is ended."""
    folder = root / "results"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "results.json", json.dumps(found).encode())


def say(text: str) -> None:
    """Print for whoever reads the log."""
    print(harmless(visible_text(text)), flush=True)
