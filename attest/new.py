"""`attest new`: a folder with a whole small assignment, that validates at once and is there to be changed."""

from __future__ import annotations

import json
import re
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path

from attest.terminal import ALL_WELL, console, sentences, shown_path
from graders.assignment import FILE, AssignmentError

_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SUFFIX = ".in"


def new_command(folder: Path, title: str | None) -> int:
    """Write the folder and say what to do next; return the exit status."""
    with sentences(AssignmentError):
        write_new(folder, title or folder.name.replace("_", " ").capitalize())
    screen = console()
    name = shown_path(folder)
    for line in (
        f"{name}/ holds an assignment: a handout, one marked solution, tests, variants.",
        "Next, and again after each change:",
        f"    attest validate {name}",
        f"    attest release {name} -o handout",
    ):
        screen.print(line, soft_wrap=True)
    return ALL_WELL


def write_new(folder: Path, title: str) -> None:
    """Write a new assignment to `folder`, which must not exist. Raises AssignmentError."""
    name = folder.name
    if not _ID.fullmatch(name) or len(name) > 100:
        raise AssignmentError(
            f"{folder}: {name!r} cannot be an assignment's id; letters, digits and underscores are expected, "
            "not a digit first. Choose another name, such as my_exercise."
        )
    if folder.exists() or folder.is_symlink():
        raise AssignmentError(f"{folder}: is there already. Choose another name, or remove it first.")
    words = {"@ID@": name, "@TITLE@": title}
    in_toml = {mark: json.dumps(text, ensure_ascii=False)[1:-1] for mark, text in words.items()}
    try:
        for relative, text in _template(Path(), Path(str(package_files("attest"))) / "template"):
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_filled(text, in_toml if path.name == FILE else words), encoding="utf-8")
    except OSError as error:
        raise AssignmentError(
            f"{error.filename}: cannot be written ({error.strerror}). Choose a folder where you may write."
        ) from error


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _template(below: Path, place: Traversable) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _template(below / entry.name, entry)
        elif entry.name.endswith(_SUFFIX):
            found.append((below / entry.name.removesuffix(_SUFFIX), entry.read_text(encoding="utf-8")))
    return found
