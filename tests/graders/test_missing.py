"""Names that are missing: because of a fault elsewhere, or because they stand in another file."""

from __future__ import annotations

import json

from tests.graders.conftest import Grade, check, verdicts


def test_a_syntax_error_is_the_error_of_every_check(grade: Grade, model: str) -> None:
    result = grade(model + "\ndef broken(:\n")
    assert set(verdicts(result).values()) == {"error", "skipped"}
    found = check(result, "test_total")
    assert found.message.startswith("tiny.py cannot be run: SyntaxError: ")
    assert f"(line {model.count(chr(10)) + 2})" in found.message
    assert found.error is not None
    assert found.error.type == "SyntaxError"
    assert found.counterexample is None  # any input shows it
    assert found.hint is None


def test_a_statement_that_raised_is_why_its_name_is_missing(grade: Grade, model: str) -> None:
    source = model.replace("class Shift(torch.nn.Module)", "class Shift(torch.nn.Modul)")
    result = grade(source)
    line = source.split("\n").index("class Shift(torch.nn.Modul):") + 1
    found = check(result, "test_shift_gradient")
    assert found.verdict == "error"
    assert found.message.startswith(
        f"`Shift` could not be defined, because line {line} of tiny.py raised AttributeError"
    )
    assert check(result, "test_total").verdict == "passed"
    assert [(cell.number, cell.status) for cell in result.load.cells] == [(line, "raised")]


def test_a_fault_in_another_statement_explains_nothing(grade: Grade, model: str) -> None:
    result = grade(model.replace("def total", "def other") + "\nundefined\n")
    assert check(result, "test_total").verdict == "missing"


def test_a_statement_that_was_stopped_is_a_timeout(grade: Grade, model: str) -> None:
    result = grade(model.replace("def total", "def other") + "\nwhile True: pass\nelse: total = 3\n")
    found = check(result, "test_total")
    assert found.verdict == "timeout"
    assert "ran for too long and was stopped" in found.message
    assert check(result, "test_pool").verdict == "passed"


def notebook(*cells: str) -> str:
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"c{n}",
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                    "source": cell,
                }
                for n, cell in enumerate(cells)
            ],
        }
    )


def test_a_notebooks_cell_that_raised_is_named_by_its_number(grade: Grade, model: str) -> None:
    total, rest = model.replace("import torch\n", "").split("def pool")
    result = grade(
        {"tiny.ipynb": notebook("import torch", f"1 / 0\n{total}", f"%matplotlib inline\ndef pool{rest}")}
    )
    found = check(result, "test_total")
    assert found.verdict == "error"
    assert found.message.startswith(
        "`total` could not be defined, because cell 2 of tiny.ipynb raised ZeroDivisionError"
    )
    assert check(result, "test_pool").verdict == "passed"
    assert result.load.kind == "notebook"


def test_a_name_is_looked_for_in_the_other_programs_too(grade: Grade, model: str) -> None:
    first, second = model.split("class Shift")
    result = grade({"tiny.py": first, "more.py": f"import torch\n\n\nclass Shift{second}"})
    assert set(verdicts(result).values()) == {"passed"}


def test_what_the_main_program_defines_comes_first(grade: Grade, model: str) -> None:
    result = grade({"tiny.py": model, "older.py": "def total(x): return 0"})
    assert check(result, "test_total").verdict == "passed"


def test_a_program_that_dies_costs_nothing_of_another(grade: Grade, model: str) -> None:
    first, second = model.split("class Shift")
    dying = "import os\nclass A:\n    os._exit(7)\n"
    result = grade({"tiny.py": first + dying, "more.py": f"import torch\n\n\nclass Shift{second}"})
    assert check(result, "test_total").verdict == "crashed"
    assert check(result, "test_shift_gradient").verdict == "passed"


def test_a_submission_that_dies_while_it_loads(grade: Grade) -> None:
    result = grade("import os\nclass A:\n    os._exit(7)\nb = [os._exit(7) for _ in '1']")
    assert set(verdicts(result).values()) == {"crashed", "skipped"}
    assert check(result, "test_total").message.startswith("The submission could not be loaded. The process")
    assert result.load.verdict == "crashed"
    assert "exit status 7" in result.load.message
