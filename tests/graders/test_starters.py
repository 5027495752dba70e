"""One marked source gives the starter script and the starter notebook, without a line of the solution."""

import json
from pathlib import Path

import nbformat
import pytest

from graders.assignment import AssignmentError
from graders.starters import as_notebook, without_solutions

HERE = Path("solution/mean.py")

MARKED = '''\
# %% [markdown]
# # Means
# Write `mean`.

# %%
import torch

# %%
def mean(x):
    """Return the mean."""
    ### BEGIN SOLUTION: divide by the number of elements
    total = x.sum()
    return total / x.numel()
    ### END SOLUTION


### BEGIN SOLUTION
WIDTH = 64
### END SOLUTION
'''


def test_a_function_keeps_its_head_and_raises():
    assert without_solutions(MARKED, HERE).split("# %%\n")[2] == (
        'def mean(x):\n    """Return the mean."""\n'
        "    # Your code here: divide by the number of elements\n    raise NotImplementedError\n\n\n"
        "# Your code here.\n"
    )


def test_a_notebook_has_the_same_cells():
    notebook = nbformat.reads(as_notebook(without_solutions(MARKED, HERE), "# Handout"), as_version=4)
    nbformat.validate(notebook)
    assert [(cell.cell_type, cell.source.splitlines()[0]) for cell in notebook.cells] == [
        ("markdown", "# Handout"),
        ("markdown", "# Means"),
        ("code", "import torch"),
        ("code", "def mean(x):"),
    ]
    assert len({cell.id for cell in notebook.cells}) == 4


def test_a_script_without_cell_marks_is_one_cell():
    cells = json.loads(as_notebook("a = 1\n\nb = 2\n"))["cells"]
    assert ["".join(cell["source"]) for cell in cells] == ["a = 1\n\nb = 2"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("### BEGIN SOLUTION\nx = 1\n", "line 1: '### BEGIN SOLUTION' has no '### END SOLUTION' after it"),
        ("x = 1\n### END SOLUTION\n", "line 2: '### END SOLUTION' without"),
        (
            "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n",
            "line 2: a solution begins inside the one of line 1",
        ),
        ("### BEGIN SOLUTION\n### END SOLUTION here\n", "line 2: '### END SOLUTION here' was found"),
        (
            "def f(x):\n    return (\n    ### BEGIN SOLUTION\n    x\n    ### END SOLUTION\n    )\n",
            "without its solutions it is no Python",
        ),
        ("if x:\n    ### BEGIN SOLUTIONS\n    y = 1\n", "'### BEGIN SOLUTIONS' was found"),
    ],
)
def test_marks_at_fault_are_named_with_their_line(source, says):
    with pytest.raises(AssignmentError, match=r"solution/mean\.py") as raised:
        without_solutions(source, HERE)
    assert says in str(raised.value)
