"""Loading scripts: whatever can be defined gets defined, and the student is told what was not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox import Guest, NameInfo, NameMissing, Program, Sandbox, StudentRaised

from .conftest import script

Load = Callable[..., Guest]


def test_a_statement_that_raises_stops_only_itself(load: Load) -> None:
    guest = load("A = 1\nB = A / 0\ndef f(): return A\n")
    assert guest.call("f") == 1
    assert [(cell.number, cell.status) for cell in guest.report.cells] == [
        (1, "ok"),
        (2, "raised"),
        (3, "ok"),
    ]
    error = guest.report.cells[1].error
    assert error is not None
    assert (error.type_name, error.message) == ("ZeroDivisionError", "division by zero")
    assert error.traceback == ("answer.py, line 2", "    B = A / 0")


def test_a_syntax_error_defines_nothing_and_names_its_line(load: Load) -> None:
    guest = load("def f(): return 1\ndef g(:\n    pass\n")
    assert guest.names() == ()
    (cell,) = guest.report.cells
    assert (cell.number, cell.status) == (2, "raised")
    assert cell.error is not None
    assert cell.error.type_name == "SyntaxError"
    assert cell.error.traceback[0] == "answer.py, line 2"
    with pytest.raises(NameMissing):
        guest.call("f")


@pytest.mark.parametrize(
    "source", ["x = '\\0'\n\0", "(" * 100_000, "f(" * 3000 + ")" * 3000, "# coding: nonsense\nx = 1"]
)
def test_source_that_no_parser_likes_is_reported(load: Load, source: str) -> None:
    guest = load(source + "\n")
    assert [cell.status for cell in guest.report.cells] in (["raised"], ["ok"])


def test_future_imports_hold_for_the_whole_script(load: Load) -> None:
    guest = load("from __future__ import annotations\ndef f(x: Undefined) -> Missing: return x\n")
    assert guest.call("f", 3) == 3


@pytest.mark.parametrize(("run_as", "ran"), [("module", False), ("__main__", True)])
def test_main_blocks_run_only_when_asked(load: Load, run_as: str, ran: bool) -> None:
    guest = load(
        "R = []\nif __name__ == '__main__':\n    R.append(1)\ndef f(): return bool(R)\n", run_as=run_as
    )
    assert guest.call("f") is ran


def test_a_script_is_a_real_module(load: Load) -> None:
    source = """
import dataclasses, inspect, pickle, sys
@dataclasses.dataclass
class P:
    x: int = 3
def f():
    own = sys.modules[P.__module__]
    source = inspect.getsource(f).splitlines()[0]
    return own.P is P, pickle.loads(pickle.dumps(P())).x, source, __file__, sys.argv
"""
    assert load(source).call("f") == (True, 3, "def f():", "/work/answer.py", ["answer.py"])


def test_other_files_of_the_submission_can_be_imported(load: Load) -> None:
    files = {
        "helper.py": b"def g(): return 2",
        "pack/__init__.py": b"",
        "pack/part.py": b"V = 5",
        "data.txt": b"7",
    }
    guest = load(
        "import helper\nfrom pack.part import V\n"
        "def f(): return helper.g() + V + int(open('data.txt').read())\n",
        files=files,
    )
    assert guest.call("f") == 14


def test_tracebacks_hold_only_the_students_lines(load: Load) -> None:
    source = "import torch, helper\ndef f(x):\n    return helper.g(x)\n"
    guest = load(
        source, files={"helper.py": b"import torch\ndef g(x):\n    return torch.nn.Linear(2, 2)(x)\n"}
    )
    import torch

    with pytest.raises(StudentRaised) as caught:
        guest.call("f", torch.ones(3))
    assert caught.value.traceback == (
        "answer.py, line 3, in f",
        "    return helper.g(x)",
        "helper.py, line 3, in g",
        "    return torch.nn.Linear(2, 2)(x)",
    )


@pytest.mark.parametrize(
    ("level", "defined"),
    [
        ("all", {"torch", "A", "B", "f", "C", "ran", "g"}),
        ("definitions", {"torch", "A", "B", "f", "C", "g"}),
        ("constants", {"torch", "A", "f", "C", "g"}),
    ],
)
def test_levels(load: Load, level: str, defined: set[str]) -> None:
    source = """
try:
    import torch
except ImportError:
    torch = None
A = [1, -2.5, "x"]
B = torch.ones(2)
def f(): return A
class C: pass
for ran in range(3): pass
async def g(): pass
"""
    guest = load(source, level=level)
    assert {name.name for name in guest.names()} == defined
    assert guest.report.level == level


def test_names_say_what_they_are(load: Load) -> None:
    guest = load(
        "import math\ndef f(x, *, y=1): pass\nclass C:\n    def __init__(self, a): pass\nV = 3\n_hidden = 1\n"
    )
    assert guest.names() == (
        NameInfo("math", "module", None),
        NameInfo("f", "function", "(x, *, y=1)"),
        NameInfo("C", "class", "(a)"),
        NameInfo("V", "value", None),
    )


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("masked_mean_pol", "masked_mean_pool"),
        ("MaskedMeanPool", "masked_mean_pool"),
        ("causal_mask", "causalMask"),
    ],
)
def test_a_missing_name_is_answered_with_the_nearest(load: Load, asked: str, nearest: str) -> None:
    guest = load("import math\ndef masked_mean_pool(): pass\ndef causalMask(): pass\n")
    with pytest.raises(NameMissing, match=f"does not define {asked}; did you mean {nearest}") as caught:
        guest.call(asked)
    assert caught.value.nearest[0] == nearest
    assert guest.alive


def test_names_with_dots_reach_into_classes(load: Load) -> None:
    guest = load("class C:\n    @staticmethod\n    def f(): return 4\n")
    assert guest.call("C.f") == 4
    with pytest.raises(NameMissing):
        guest.call("C.g")


def test_python_can_be_left_by_words_that_interactive_users_know(load: Load) -> None:
    guest = load("def f(): return 1\nexit()\ndef g(): return 2\n")
    assert [name.name for name in guest.names()] == ["f"]


def test_colab_is_harmless(load: Load) -> None:
    source = "from google.colab import drive, files\ndrive.mount('/content/drive')\nfiles.upload()\n"
    source += "import google.colab\n"
    guest = load(source)
    assert {cell.status for cell in guest.report.cells} == {"ok"}


def test_what_is_imported_beside_a_missing_package_is_there(load: Load) -> None:
    guest = load("import math, seaborn, torch\ndef f(): return math.floor(1.5)\n")
    assert [(cell.number, cell.status) for cell in guest.report.cells[:3]] == [
        (1, "ok"),
        (1, "raised"),
        (1, "ok"),
    ]
    assert {name.name for name in guest.names()} == {"math", "torch", "f"}


@pytest.mark.parametrize("name", ["../escape.py", "/etc/passwd", "a/../../b", "", "a\0b"])
def test_file_names_stay_in_the_folder(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="leads out of the submission's folder"):
        sandbox.guest({name: b""}, script("A = 1"))


def test_workers_of_a_data_loader_work(load: Load, roomy: Sandbox) -> None:
    source = """
import torch
from torch.utils.data import DataLoader, TensorDataset
LOADER = DataLoader(TensorDataset(torch.arange(8.)), batch_size=4, num_workers=2)
SUMS = [batch[0].sum().item() for batch in LOADER]
def f(): return SUMS
"""
    assert load(source, into=roomy).call("f") == [6.0, 22.0]


def test_compiled_functions_run_uncompiled(load: Load, roomy: Sandbox) -> None:
    guest = load("import torch\n@torch.compile\ndef f(x): return x + 1\n", into=roomy)
    import torch

    assert guest.call("f", torch.ones(2)).tolist() == [2.0, 2.0]


def test_each_guest_has_its_own_randomness(load: Load) -> None:
    source = "import random, torch, numpy as np\n"
    source += "def f(): return random.random(), torch.rand(1).item(), np.random.rand()"
    first, second = load(source).call("f"), load(source).call("f")
    assert all(left != right for left, right in zip(first, second, strict=True))
    guest = load(source)
    assert guest.call("f", seed=5) == guest.call("f", seed=5)


def test_a_function_calls_the_function_that_it_means(sandbox: Sandbox) -> None:
    source = "def mask(n):\n    return n + 1\ndef twice(n):\n    return mask(mask(n))\nmask = 7\n"
    with sandbox.guest({}, Program("script", "work.py", (source,), names=("mask",))) as guest:
        assert guest.call("twice", 1) == 3


def test_a_function_that_is_defined_again_is_the_later_one(sandbox: Sandbox) -> None:
    source = "def f():\n    return 1\nf = 3\ndef f():\n    return 2\n"
    with sandbox.guest({}, Program("script", "work.py", (source,))) as guest:
        assert guest.call("f") == 2
