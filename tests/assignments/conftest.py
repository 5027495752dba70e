"""The lesson's exercises, and a submission's names loaded into this process (they are our own files)."""

import importlib.util
import itertools
import json
import sys
from pathlib import Path

import pytest

from graders.assignment import find_assignment

LESSON = find_assignment("lesson")
EXERCISES = {exercise.id: exercise for exercise in LESSON.exercises}

_numbers = itertools.count()


def load(path: Path):
    """Import a program from its file under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"loaded_{next(_numbers)}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def notebook_source(path: Path) -> list[str]:
    """The code cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture(params=EXERCISES.values(), ids=EXERCISES.keys())
def exercise(request):
    return request.param
