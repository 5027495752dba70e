"""What a program spells out is told for any source whatever, and in time that grows with its length alone."""

from __future__ import annotations

import time

import pytest

from graders import spelled
from sandbox import Program


def script(source: str) -> Program:
    return Program("script", "answer.py", (source,))


LONG_NUMBER = "0x" + "f" * 5000  # more digits than Python writes in decimal
HOSTILE = {
    "a long chain of elif": "if 1/0: pass\n" + "elif i == -1: total = 1\n" * 1500,
    "a default of 6000 digits": f"def total(n, x={LONG_NUMBER}): return n\n",
    "a deep expression": f"def total(x={'-' * 5000}1): pass\n",
    "deep brackets": "total = " + "(" * 3000 + ")" * 3000 + "\n",
    "deep blocks": "".join(f"{' ' * n}if True:\n" for n in range(90)) + f"{' ' * 90}total = 1\n",
    "a null byte": "total = 1\n\0",
    "a lone surrogate": "total = '\ud800'\n",
    "a long sum": "total = " + "+".join(["1"] * 50_000) + "\n",
    "a long signature": f"def total({', '.join(f'a{n}=({n}, {n})' for n in range(20_000))}): pass\n",
    "no Python at all": "total = 1\n<<<<<<< HEAD\n",
    "nothing": "",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_no_source_makes_it_raise(source: str) -> None:
    for program in (script(source), Program("notebook", "answer.ipynb", (source, "total = 1"), (1, 2))):
        assert spelled.definitions(program) <= {"total"}
        assert spelled.signature(program, "total") is None
        assert spelled.signature(program, "total", "forward") is None
        assert len(spelled.places(program, "total")) <= len(source.split("\n"))


def test_branches_of_any_number_are_looked_into() -> None:
    program = script("if 1/0: pass\n" + "elif i == -1: pass\n" * 1500 + "else: total = 1\n")
    assert spelled.definitions(program) == {"total"}
    assert spelled.places(program, "total") == set(range(1, 1503))


def test_places_are_the_lines_of_the_statements_that_define_a_name() -> None:
    program = script(
        "import a.b as c, d.e\n@c\n@d\ndef total(x):\n    inner = x\n    return x\n\nx, (total, *y) = 1\n"
    )
    assert spelled.definitions(program) == {"c", "d", "total", "x", "y"}
    assert spelled.places(program, "total") == {2, 3, 4, 5, 6, 8}
    assert spelled.places(program, "inner") == set()


def test_places_in_a_notebook_are_the_numbers_of_its_cells() -> None:
    cells = (
        "total = 1",
        "total[cell] = 2",
        "  !pip install x\ntotal: int = 1",
        "%matplotlib inline\ndef total(): pass",
    )
    program = Program("notebook", "answer.ipynb", cells, (2, 3, 5, 8))
    assert spelled.places(program, "total") == {2, 5, 8}
    assert spelled.places(program, "cell") == set()


def test_a_name_that_is_only_read_is_not_defined() -> None:
    assert spelled.definitions(script("cache[total] = 1\nother.total = 2\n")) == set()


def test_a_methods_signature_stands_without_its_first_parameter_however_often_it_is_asked() -> None:
    program = script("class Pool:\n    def forward(self, x, mask=None): pass\n\ndef total(a, *, b=1): pass\n")
    for _ in range(2):
        assert spelled.signature(program, "Pool", "forward") == "(x, mask=None)"
        assert spelled.signature(program, "total") == "(a, *, b=1)"


@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_thousands_of_places_are_asked_for_in_a_moment(kind: str) -> None:
    """As the grader asks: each missing name of each check, for each statement that failed."""
    count = 10_000
    cells = ("1/0\n" * count,) if kind == "script" else ("1/0",) * count
    program = Program(kind, "answer", cells)  # type: ignore[arg-type]
    begun = time.process_time()
    for name in ["total", "pool", "Shift"] * 20:
        assert not any(number in spelled.places(program, name) for number in range(1, count, 100))
    assert time.process_time() - begun < 5
