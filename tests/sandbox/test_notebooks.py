"""Loading notebooks: cells share a namespace and fail alone, and what is not Python is noted and skipped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox import Guest, Program, Sandbox, StudentRaised

Load = Callable[..., Guest]


@pytest.fixture
def notebook(sandbox: Sandbox) -> Callable[..., Guest]:
    opened: list[Guest] = []

    def notebook(
        *cells: str, into: Sandbox = sandbox, files: dict[str, bytes] | None = None, **more: object
    ) -> Guest:
        guest = into.guest(files or {}, Program("notebook", "answer.ipynb", cells, **more))  # type: ignore[arg-type]
        opened.append(guest)
        return guest

    yield notebook  # type: ignore[misc]
    for guest in opened:
        guest.close()


def test_cells_share_one_namespace_and_fail_alone(notebook: Callable[..., Guest]) -> None:
    guest = notebook("A = 1", "B = 1 / 0", "def f(x):\n    return A + x / 0", numbers=(1, 4, 5))
    assert [(cell.number, cell.status) for cell in guest.report.cells] == [
        (1, "ok"),
        (4, "raised"),
        (5, "ok"),
    ]
    error = guest.report.cells[1].error
    assert error is not None
    assert error.traceback == ("cell 4, line 1", "    B = 1 / 0")
    with pytest.raises(StudentRaised) as caught:
        guest.call("f", 1)
    assert caught.value.traceback == ("cell 5, line 2, in f", "    return A + x / 0")


def test_a_cell_with_a_syntax_error_fails_alone(notebook: Callable[..., Guest]) -> None:
    guest = notebook("def f(): return 1", "def g(:", "def h(): return 3")
    assert guest.call("h") == 3
    error = guest.report.cells[1].error
    assert error is not None
    assert error.type_name == "SyntaxError"
    assert error.traceback[0] == "cell 2, line 1"


def test_a_missing_package_costs_a_cell_nothing_but_itself(notebook: Callable[..., Guest]) -> None:
    guest = notebook(
        "import math, seaborn as sns, torch\nfrom torchtext.data import Field, Vocab\n"
        "sns.set_theme()\nimport torch.nn.functional as F\ndef f(): return math.floor(1.5)",
        "sns.set_style('dark')\ndef g(): return 2",
    )
    assert (guest.call("f"), guest.call("g")) == (1, 2)
    assert {name.name for name in guest.names()} == {"math", "torch", "F", "f", "g"}
    first, second = guest.report.cells
    assert (first.status, second.status) == ("raised", "raised")
    assert first.error is not None
    assert first.error.message == "No module named 'seaborn'"
    assert first.error.traceback == ("cell 1, line 1", "    import math, seaborn as sns, torch")
    assert second.error is not None
    assert second.error.type_name == "NameError"
    assert guest.report.notes == (
        "cell 1 went on after an import that failed: No module named 'seaborn'",
        "cell 1 went on after an import that failed: No module named 'torchtext'",
    )


def test_any_other_error_ends_the_cell(notebook: Callable[..., Guest]) -> None:
    guest = notebook(
        "import seaborn\nA = 1\nB = undefined\nC = 1",
        "raise ImportError('mine')\nD = 1",
        "def sns(): return nobody\nsns()\nE = 1",
        "import seaborn as s\ns = 3\ndel s\ntry:\n    s\nexcept NameError:\n    caught = True\n1 / 0\nG = 1",
    )
    assert [cell.status for cell in guest.report.cells] == ["raised"] * 4
    assert [cell.error and cell.error.type_name for cell in guest.report.cells] == [
        "NameError",
        "ImportError",
        "NameError",
        "ZeroDivisionError",
    ]
    assert {name.name for name in guest.names()} == {"A", "sns", "caught"}


def test_shell_installs_and_magics_are_noted_and_skipped(notebook: Callable[..., Guest]) -> None:
    guest = notebook(
        "!pip install -q torch\nA = 1",
        "%pip install einops\n%conda install x\nfiles = !ls\nB = len(files)",
        "%%bash\nrm -rf /",
        "%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n%config InlineBackend.x = 'y'\nC = 1",
        "%nonsense 3\nD = 1",
        "%cd /content/drive/MyDrive\nE = 1",
        "!nvidia-smi\nF = 1",
        "%%time\nG = 1\n",
        "%time I = 1",
        "%%nonsense\nH = 1",
    )
    assert {cell.status for cell in guest.report.cells} == {"ok"}
    assert {"A", "B", "C", "D", "E", "F", "G", "I"} <= {name.name for name in guest.names()}
    notes = "\n".join(guest.report.notes)
    for part in (
        "!pip was skipped",
        "%pip was",
        "%conda was",
        "!ls was",
        "%%bash was",
        "%nonsense was",
        "%cd /content",
        "!nvidia-smi",
        "%%nonsense",
    ):
        assert part in notes, part


def test_real_cell_semantics(notebook: Callable[..., Guest]) -> None:
    guest = notebook(
        "import asyncio\nasync def g(): return 3",
        "A = await g()",
        "A + 1",
        "_",
        "%%capture out\nprint('hidden')",
        "from IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'))",
        "help?",
        "import sys\nNAME = __name__",
        "%%writefile made.py\nV = 9",
        "import made\nW = made.V",
        "def h(): return 1\nimport inspect\nSRC = inspect.getsource(h)",
    )
    statuses = {cell.number: cell.status for cell in guest.report.cells}
    assert set(statuses.values()) == {"ok"}, guest.report
    assert {name.name for name in guest.names()} >= {"A", "NAME", "W", "g", "h", "SRC"}


def test_plots_cost_nothing_and_show_nothing(notebook: Callable[..., Guest], roomy: Sandbox) -> None:
    guest = notebook(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nimport numpy as np",
        "plt.plot(np.arange(3)); plt.show()\ndef f(): return plt.get_backend().lower()",
        into=roomy,
    )
    assert guest.call("f") == "agg"
    assert guest.report.cells[0].status == "ok"


def test_a_looping_cell_is_stopped_and_the_rest_loads(notebook: Callable[..., Guest]) -> None:
    guest = notebook(
        "A = 1", "while True:\n    pass", "def f(): return 5", "while True: pass", "def g(): return 6"
    )
    assert [cell.status for cell in guest.report.cells] == ["ok", "stopped", "ok", "stopped", "ok"]
    assert (guest.call("f"), guest.call("g")) == (5, 6)
    assert "stopped after 3 s" in guest.report.cells[1].note


def test_a_notebook_that_dies_leaves_its_definitions(notebook: Callable[..., Guest]) -> None:
    guest = notebook("A = 2\nimport os", "print('training')\nos._exit(1)", "def f(): return A")
    assert guest.call("f") == 2
    assert guest.report.level == "definitions"


def test_leaving_a_cell_leaves_only_the_cell(notebook: Callable[..., Guest]) -> None:
    guest = notebook("import sys\nsys.exit(1)", "def f(): return 1")
    assert guest.call("f") == 1


def test_input_in_a_cell_is_an_error_of_the_cell(notebook: Callable[..., Guest]) -> None:
    guest = notebook("x = input('name')", "def f(): return 1")
    error = guest.report.cells[0].error
    assert error is not None
    assert error.type_name == "EOFError"


def test_output_of_loading_is_kept(notebook: Callable[..., Guest]) -> None:
    guest = notebook("print('hello')\nimport sys\nprint('oh', file=sys.stderr)", "1 / 0")
    output = guest.take_output()
    assert (output.stdout, output.stderr, output.truncated) == ("hello\n", "oh\n", False)


def test_an_asked_name_that_a_later_cell_reuses_still_names_the_function(sandbox: Sandbox) -> None:
    cells = (
        "def mask(n):\n    return n + 1\ndef twice(n):\n    return mask(mask(n))",
        "class Net:\n    pass",
        "mask = mask(3)\nNet = Net()\ntwice = 5",
    )
    program = Program("notebook", "work.ipynb", cells, names=("mask", "Net"))
    with sandbox.guest({}, program) as guest:
        assert guest.call("mask", 1) == 2
        assert guest.value("mask") == 4
        assert guest.call("Net").type_name == "Net"
        assert guest.value("twice") == 5
