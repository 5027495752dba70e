"""What students get of an assignment, as files in memory: handout, starters, public checks.

The solution is read for the starters made of it; hidden tests, variants and guidance only to see that nothing
of them is there (`leaks`).
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from attest.installed import CHECKS
from graders.assignment import (
    ANSWERS,
    FILE,
    PUBLIC_TESTS,
    Assignment,
    AssignmentError,
    Exercise,
    find_assignment,
    read_assignment,
)
from graders.starters import BEGIN, END, as_notebook, starter_files
from reports.amounts import points_noun

# What students have who install attest-check.
_FOR_PUBLIC_TESTS = ("graders", "torch", "numpy", "hypothesis", "pytest", "einops")
_TELLING = 16  # characters: a shorter sentence or line could stand anywhere by chance


# Whether students begin with scripts, with notebooks, or have both to choose from.
Form = Literal["both", "scripts", "notebooks"]


def to_hand_out(name: str) -> Assignment:
    """Return the assignment of this name or folder. Raises AssignmentError, also for a part of a handout."""
    found = find_assignment(name)
    if any(exercise.released for exercise in found.exercises):
        raise AssignmentError(f"{found.folder}: is part of a handout already; name the assignment.")
    return found


def handed_out(assignment: Assignment, form: Form = "both") -> dict[str, bytes]:
    """Return `handout_files` of which none gives anything hidden away. Raises AssignmentError."""
    files = handout_files(assignment, form)
    found = leaks(assignment, files)
    if found:
        more = f" And {len(found) - 3} more." if len(found) > 3 else ""
        raise AssignmentError(f"nothing was written: {' '.join(found[:3])}{more}")
    return files


def handout_files(assignment: Assignment, form: Form = "both") -> dict[str, bytes]:
    """Return the files of a handout, by their path in it. Raises AssignmentError."""
    files: dict[str, bytes] = {}
    notebooks: list[str] = []
    alone = assignment.exercises[0].folder == assignment.folder
    for exercise in assignment.exercises:
        folder = "" if alone else f"{exercise.id}/"
        handout = exercise.folder / "handout.md"
        if not handout.is_file():
            raise AssignmentError(f"{handout}: is missing; students read there what is asked. Write it.")
        for path in (handout, exercise.public_tests, *exercise.starters, *exercise.solutions):
            _is_its_own(path, exercise)
        files[f"{folder}handout.md"] = handout.read_bytes()
        for name, data in _starters(exercise).items():
            files[f"{folder}{name}"] = data
            if name.endswith(".ipynb"):
                notebooks.append(data.decode())
        checks = CHECKS if alone else f"{CHECKS}/{exercise.id}"
        files[f"{checks}/{FILE}"] = _public_table(exercise).encode()
        files[f"{checks}/{PUBLIC_TESTS}"] = _public_tests(exercise)
    if not alone:
        files[f"{CHECKS}/{FILE}"] = _composed_table(assignment).encode()
        files["README.md"] = _overview(assignment, form).encode()
        files[f"{assignment.id}.ipynb"] = _together(assignment, notebooks).encode()
    words = [exercise for exercise in assignment.exercises if exercise.prose]
    if words:
        files[ANSWERS] = _answers(words).encode()
    return {name: data for name, data in files.items() if _is_of(form, name, files, assignment)}


def _is_of(form: Form, name: str, files: Mapping[str, bytes], assignment: Assignment) -> bool:
    """Whether a file stays: a program that is there in the other form, or in the notebook of all, may not."""
    folder, _, own = name.rpartition("/")
    stem, _, suffix = name.rpartition(".")
    whole = f"{assignment.id}.ipynb"
    asked = {file for exercise in assignment.exercises for file in exercise.files}
    if form == "both" or suffix not in ("py", "ipynb") or folder.startswith(CHECKS):
        return True
    if form == "scripts":
        return suffix == "py" or (f"{stem}.py" not in files and (name != whole or own in asked))
    if whole in files and assignment.exercises[0].folder != assignment.folder:
        return name == whole or own not in asked
    return suffix == "ipynb" or f"{stem}.ipynb" not in files


def leaks(assignment: Assignment, files: Mapping[str, bytes]) -> list[str]:
    """Return a sentence for each hidden thing that stands in `files`; none is as it should be."""
    texts = {name: _text(name, data) for name, data in files.items()}
    public = {name for exercise in assignment.exercises for name in _checks(exercise.public_tests)}
    found = []
    for exercise in assignment.exercises:
        names = [name for name in _hidden_checks(exercise) if name not in public]
        hidden = [("the name of a hidden check", rf"\b{name}\b", name) for name in names]
        hidden += [(what, re.escape(text), text) for what, text in _hidden(exercise) if len(text) >= _TELLING]
        alone = exercise.folder == assignment.folder
        for what, pattern, text in hidden:
            found += [
                f"{name} holds {what}: {text!r}. Take it out of the file that it comes from."
                for name, words in texts.items()
                # What is said of one exercise's variants may be an ordinary sentence in another.
                if (alone or exercise.id in Path(name).parts) and text in words and re.search(pattern, words)
            ]
    return found


def _is_its_own(path: Path, exercise: Exercise) -> None:
    """Raise AssignmentError where a link leads out of what students may see of this exercise."""
    real, folder = path.resolve(), exercise.folder.resolve()
    if real.parent != folder / path.relative_to(exercise.folder).parent:
        raise AssignmentError(f"{path}: is a link to {real}, which is not in its folder. Put a copy there.")


def _starters(exercise: Exercise) -> dict[str, bytes]:
    found = {
        name: _without_outputs(exercise.folder / "starter" / name, data) if name.endswith(".ipynb") else data
        for name, data in starter_files(exercise).items()
    }
    if not found and exercise.files:
        raise AssignmentError(
            f"{exercise.folder}: there is nothing for students to start from. Put files into starter/, or "
            f"mark the solution with {BEGIN!r} and {END!r}."
        )
    return found


def _without_outputs(path: Path, data: bytes) -> bytes:
    """Return a notebook as one that has not been run: what was printed may give something away."""
    try:
        notebook = json.loads(data)
        for cell in notebook["cells"]:
            "".join(cell["source"])
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
    except (ValueError, KeyError, TypeError) as error:
        raise AssignmentError(
            f"{path}: is no notebook of format 4 ({type(error).__name__}: {error}). Open it in Jupyter and "
            "save it."
        ) from error
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _public_tests(exercise: Exercise) -> bytes:
    source = exercise.public_tests.read_bytes()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        else:
            continue
        for name in names:
            root = name.partition(".")[0]
            if root not in _FOR_PUBLIC_TESTS and root not in sys.stdlib_module_names:
                raise AssignmentError(
                    f"{exercise.public_tests}, line {node.lineno}: imports {name!r}, which students do not "
                    f"have. Public checks may import {', '.join(_FOR_PUBLIC_TESTS)} and Python's own modules."
                )
    return source


def _hidden(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield (what it is, the text) of everything that students must not find."""
    for variant in exercise.variants:
        yield "what is said of a variant", variant.title
    for accepted in exercise.accepted:
        yield "what is said of accepted work", accepted.title
    for item in exercise.rubric:
        yield "guidance for markers", item.guidance
    for path in exercise.solutions:
        if path.suffix == ".py":
            yield from (
                ("a line of the solution", line) for line in _solved(path.read_text(encoding="utf-8"))
            )


def _hidden_checks(exercise: Exercise) -> Iterator[str]:
    for path in sorted((exercise.folder / "tests").rglob("*.py")):
        if path != exercise.public_tests:
            yield from _checks(path)


def _checks(path: Path) -> Iterator[str]:
    names = (getattr(node, "name", "") for node in ast.parse(path.read_bytes()).body)
    return (name for name in names if name.startswith("test_"))


def _solved(source: str) -> Iterator[str]:
    """Yield the telling lines between the marks that stand nowhere else in the source."""
    inside: set[str] = set()
    outside: set[str] = set()
    within = False
    for text in source.splitlines():
        line = text.strip()
        if line.startswith((BEGIN, END)):
            within = line.startswith(BEGIN)
        else:
            (inside if within else outside).add(line)
    yield from sorted(line for line in inside - outside if not line.startswith("#"))


def _text(name: str, data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    if name.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


def _toml(value: object) -> str:
    # TOML's basic strings are JSON's, as long as nothing beyond the basic plane is escaped.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _public_table(exercise: Exercise) -> str:
    alone = read_assignment(exercise.folder)
    pairs: dict[str, object] = {
        "schema": 1,
        "released": True,
        "id": exercise.id,
        "title": exercise.title,
        "version": alone.version,
        "points": exercise.points,
        "section": exercise.section,
        "names": exercise.names,
        "files": exercise.files,
        "run_as": exercise.run_as,
        "record": exercise.record,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in pairs.items() if value is not None]
    if exercise.prose:
        lines += ["", "[prose]", f"headings = {_toml(exercise.prose.headings)}"]
    lines += _limits(alone)
    return "\n".join(lines) + "\n"


def _composed_table(assignment: Assignment) -> str:
    pairs: dict[str, object] = {
        "schema": 1,
        "id": assignment.id,
        "title": assignment.title,
        "version": assignment.version,
        "points": assignment.points,
        "compose": tuple(exercise.id for exercise in assignment.exercises),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in pairs.items()]
    return "\n".join([*lines, *_limits(assignment)]) + "\n"


def _limits(assignment: Assignment) -> list[str]:
    lines = [f"{key} = {_toml(value)}" for key, value in assignment.limits.items()]
    return ["", "[limits]", *lines] if lines else []


def _overview(assignment: Assignment, form: Form) -> str:
    rows = [
        f"| [{exercise.title}]({exercise.id}/handout.md) | {_files(exercise)} | {exercise.points:g} |"
        for exercise in assignment.exercises
    ]
    first = next((e for e in assignment.exercises if e.files), None)
    example = f"{first.id}/{first.files[0]}" if first else "FILE"
    words = any(exercise.prose for exercise in assignment.exercises)
    notebook = f"`{assignment.id}.ipynb`, which has a place for every exercise"
    ways = {
        "both": f"{notebook}, or the files of the exercises",
        "scripts": "the files of the exercises",
        "notebooks": notebook,
    }
    hand_in = f"Hand in {ways[form]}."
    if words:
        place = "" if form == "scripts" else "the notebook, under the exercise's heading, or into "
        hand_in += f" What you write in words goes into {place}`{ANSWERS}`."
    checked = {"scripts": [example], "notebooks": [f"{assignment.id}.ipynb"]}
    return "\n".join(
        [
            f"# {assignment.title}",
            "",
            f"There are {points_noun(assignment.points)} in all.",
            "",
            "| exercise | files | points |",
            "| --- | --- | --- |",
            *rows,
            "",
            "## Hand in",
            "",
            hand_in,
            "",
            "## Check your work",
            "",
            *(f"    attest check {name}" for name in checked.get(form, [example, f"{assignment.id}.ipynb"])),
            "",
            "runs the public checks, which lie in `checks/`; `attest` comes with the package `attest-check`. "
            "More checks run when your work is graded.",
            "",
        ]
    )


def _files(exercise: Exercise) -> str:
    return " or ".join(f"`{name}`" for name in exercise.files) or f"`{ANSWERS}`"


def _answers(exercises: list[Exercise]) -> str:
    """Return a file with a heading for each exercise that asks for words; an empty section is no answer."""
    parts = ["# Answers\n"]
    parts += [f"## {exercise.prose.headings[0]}\n\n" for exercise in exercises if exercise.prose]
    return "\n".join(parts)


def _together(assignment: Assignment, notebooks: list[str]) -> str:
    """Return one notebook with the cells of all."""
    whole = json.loads(as_notebook("", f"# {assignment.title}"))
    for text in notebooks:
        whole["cells"] += json.loads(text)["cells"]
    for number, cell in enumerate(whole["cells"], 1):
        cell["id"] = f"cell-{number}"
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
