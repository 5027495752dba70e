"""The corpus as the table of docs/hostile.md: `python -m tests.hostile.listed --write` puts it there."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.hostile.attempts import KINDS, Attempt, attempts

PAGE = Path(__file__).parents[2] / "docs" / "hostile.md"
MARK = "<!-- table -->\n"


def table() -> str:
    """Every attempt and what happens, by kind."""
    every = [(folder, attempt) for folder in ("code", "files", "documents") for attempt in attempts(folder)]
    lines = [f"{len(every)} attempts.\n"]
    for kind in KINDS:
        own = [(folder, attempt) for folder, attempt in every if attempt.kind == kind]
        lines += [
            f"### {kind.capitalize()}\n",
            "| attempt | what it tries | what happens |",
            "| --- | --- | --- |",
        ]
        lines += [
            f"| `{folder}/{attempt.name}` | {_cell(attempt.tries)} | {_cell(_happens(folder, attempt))} |"
            for folder, attempt in own
        ]
        lines.append("")
    return "\n".join(lines)


def _happens(folder: str, attempt: Attempt) -> str:
    if folder == "documents":
        return "it stays text"
    if attempt.status == "unreadable":
        return "refused"
    words = list(dict.fromkeys(word for word in attempt.verdicts if word != "skipped"))
    said = "; ".join(word.replace("|", " or ") for word in words)
    return said + (f"; not defended by `{'`, `'.join(attempt.undefended)}`" if attempt.undefended else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(PAGE.read_text("utf-8").partition(MARK)[0] + MARK + "\n" + table(), "utf-8")
    else:
        print(table())
