"""What is copied is found, whatever its names; what everybody writes, or began with, accuses nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.assignment import find_assignment
from graders.likeness import compare, labels_of, text_of
from graders.likeness.compare import LEAST_LABELS, RUN, marks_of
from sandbox import Program

from .disguise import disguised

LESSON = find_assignment("lesson")


def labels(source):
    return labels_of([(source, 1)])


def texts(source):
    return [label.text for label in labels(source)]


@pytest.mark.parametrize(
    "other",
    [
        "def f(a, b):\n    # why?\n    c = a @ b.mT\n    return torch.softmax(c, dim=-1)",
        'def g(q, k):\n    """Scores."""\n    s = (q @ k.mT)\n    return torch.softmax(\n        s, dim=-1)',
        "def f(a: Tensor, b: T) -> Tensor:\n    c: Tensor = a @ b.mT\n    return torch.softmax(c, dim=-1)",
    ],
)
def test_names_comments_layout_and_annotations_change_nothing(other):
    source = "import torch\ndef f(query, key):\n    x = query @ key.mT\n    return torch.softmax(x, dim=-1)"
    assert texts("import torch\n" + other) == texts(source)


@pytest.mark.parametrize(
    "other",
    [
        "y = torch.softmax(x, dim=-1)",  # the axis
        "y = torch.softmax(x, dim=0)",
        "y = torch.sigmoid(x)",
        "y = x.softmax(dim=1)",
    ],
)
def test_what_a_program_does_stays_in_its_labels(other):
    assert texts("import torch\n" + other) != texts("import torch\ny = torch.softmax(x, dim=1)")


@pytest.mark.parametrize(
    ("cell", "beside"),
    [
        ("%matplotlib inline\ny = x.sum()", "pass\ny = x.sum()"),
        ("!pip install torch\ny = x.sum()", "y = x.sum()"),
        ("if x:\n    %time f(x)\ny = 1", "if x:\n    pass\ny = 1"),
        ("torch.sum?\ny = x.sum()", "y = x.sum()"),
    ],
)
def test_cells_with_lines_of_ipython_are_read(cell, beside):
    assert texts(cell) == texts(beside)


@pytest.mark.parametrize("source", ["def f(:\n    return 1", "x = (", "\0", "é" * 10, "'" * 3, "(" * 5000])
def test_what_is_no_python_is_taken_token_by_token_and_stops_nothing(source):
    assert isinstance(labels(source), list)


def test_broken_code_is_still_compared():
    body = "\n".join(f"    r{n} = self.w{n}(x) * {n} + y.mean(dim={n})" for n in range(12))
    first, second = f"def f(x, y:\n{body}", f"def other(a, b:\n{body.replace('r', 'zz')}"
    compared = compare([labels(first), labels(second), labels("x = 1")])
    assert [(pair.first, pair.second) for pair in compared.pairs] == [(0, 1)]


def test_lines_are_those_of_the_cells_one_after_the_other():
    notebook = Program("notebook", "work.ipynb", ("import torch\n", "", "x = 1\ny = x + 2"), (1, 3, 4))
    text = text_of([notebook])
    assert text.lines == ("import torch", "x = 1", "y = x + 2")
    assert text.headings == {0: "work.ipynb, cell 1", 1: "work.ipynb, cell 4"}
    assert {label.line for label in text.labels if label.text == "2"} == {3}


def own_labels(index, programs, common):
    """How much of a program is neither in `common` nor in many of the others, in labels."""
    others = [label for one in programs[:index] + programs[index + 1 :] for label in marks_of(one).tolist()]
    known = {mark for one in common for mark in marks_of(one).tolist()}
    known |= {mark for mark in set(others) if others.count(mark) > 2}
    marks = marks_of(programs[index]).tolist()
    covered = set()
    for start, mark in enumerate(marks):
        if mark not in known:
            covered |= set(range(start, start + RUN))
    return len(covered)


@pytest.mark.parametrize("exercise", LESSON.exercises, ids=lambda one: one.id)
def test_disguised_copies_are_found_where_there_is_something_of_ones_own(exercise):
    """Of each exercise's right solutions one after the other is copied in disguise among all of them."""
    sources = [one.path.read_text() for one in exercise.accepted if one.path.suffix == ".py"]
    programs = [labels(source) for source in sources]
    common = [labels(path.read_text()) for path in exercise.solutions if path.suffix == ".py"]
    for index, source in enumerate(sources):
        if own_labels(index, programs, common) < 2 * LEAST_LABELS:
            continue
        copy = labels(disguised(source, index))
        found = compare([*programs, copy], common).pairs
        assert (index, len(programs)) in [(pair.first, pair.second) for pair in found]


def test_those_who_worked_alone_are_not_accused():
    """The example cohort's authors have the task, and nothing else, in common."""
    cohort = [labels(path.read_text()) for path in sorted(Path("examples/cohort").glob("s0[1-9]-*.py"))]
    common = [labels(path.read_text()) for one in LESSON.exercises for path in one.solutions[:1]]
    assert len(cohort) > 5
    assert compare(cohort, common).pairs == ()


def test_what_many_have_counts_for_nothing():
    body = "\n".join(f"    r{n} = self.w{n}(x) * {n} + y.mean(dim={n})" for n in range(12))
    shared = labels(f"def f(x, y):\n{body}")
    alone = [labels(f"def g{n}():\n    return {n}") for n in range(40)]
    assert len(compare([shared] * 2 + alone).pairs) == 1
    assert len(compare([shared] * 4 + alone).pairs) == 6
    assert compare([shared] * 4 + alone).groups == ((0, 1, 2, 3),)
    assert compare([shared] * 12 + alone).pairs == ()
    assert compare([shared] * 2 + alone, [shared]).pairs == ()


def test_the_lines_that_are_shared_are_those_and_no_others():
    body = "\n".join(f"    r{n} = self.w{n}(x) * {n} + y.mean(dim={n})" for n in range(12))
    first = f"import torch\nprint(torch.ones(3))\ndef f(x, y):\n{body}\n    return 1\n"
    second = f"def g(x, y):\n{body}\nclass A:\n    pass\n"
    compared = compare([labels(first), labels(second)])
    mine, theirs = compared.shared_lines(compared.pairs[0])
    assert mine >= set(range(4, 16))
    assert not mine & {1, 2}
    assert theirs >= set(range(2, 14))
    assert 14 not in theirs


@pytest.mark.parametrize("programs", [[], [[]], [[], []], [labels("x = 1"), labels("x = 1")]])
def test_what_is_too_short_to_say_anything_is_no_pair(programs):
    assert compare(programs).pairs == ()
