"""Whatever a student writes or prints, it is read in a time that grows as its length does.

Runs of blanks, digits and brackets, and a pattern's own beginnings again and again, are what makes a
careless pattern try each division of a text into its parts: minutes for what took a second to print.
"""

import importlib.util
import signal
import time

import pytest
import torch

from attest.installed import _DEFINES
from attest.marksheet import _FORMULA
from attest.terminal import harmless
from graders import printed_row, printed_shape
from graders.assignment import find_assignment
from graders.named_parts import lines_named, named_part
from graders.prose.sections import Sections
from graders.reading import UnreadableSubmission
from graders.reading.kinds import looks_like_python
from graders.reading.names import closeness
from graders.reading.notebook import only_a_string
from graders.reading.programs import _imports
from graders.reading.text import decode
from graders.showing import line, plain, written
from graders.spelled import _DEFINITION, _MAGIC, definitions
from graders.stated import stated_shape
from reports.gradebook import cell
from reports.student_text import _calm
from reports.visible_text import one_line
from sandbox import Program

LENGTH = 20_000  # where the steps grow as its square, they take seconds
MOST_SECONDS = 0.7  # of processor time; the slowest takes a tenth of it
UNITS = (
    *(
        " ",
        "\t",
        "\n",
        "1",
        "1.",
        "1 ",
        "a",
        "a ",
        "A ",
        ".",
        ". ",
        ":",
        "::",
        ", ",
        ";",
        "=",
        "= 1",
        "_",
        "-",
    ),
    *(
        "(",
        "[",
        "[ ",
        "[1]",
        "[1] ",
        "[1 ",
        "{",
        "<a ",
        "(8, 32, 32)",
        "(8,8)? ",
        "8 × ",
        "8 by ",
        "3 x ",
        "x ",
    ),
    *("*", "**", " * ", "#", "# ", "`", "~", "$", "\\text ", "\x1b[", "\x1b]", "\x07", "\r", "'", '"', "#\n"),
    *("the ", "of ", "and ", "not ", "shape ", "input ", "weights ", "per ", "line ", "8 batch ", "8 (a"),
    *("copy", " copy", "_(1)", "coding:", "from a", "import ", "def a", "exercise ", "0x", "1e", "1e-", "1:"),
    *("took ", "took 1", "1 s ", "12:", "2024-", "average_attn_weights ", "1.1 average_attn_weights"),
    *("\u200b", "\u0301", "\ufdfa", "×", "§", "§0§"),
)
ROWS = torch.tensor([[0.3, 0.1, 0.2, 0.4]])


def texts():
    for unit in UNITS:
        many = unit * (LENGTH // len(unit))
        yield from (f"x{many}!", f"1{many}1", f"3{many}a{many}", f"[{many}")


def lab(name):
    path = find_assignment("lab").folder / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"lab_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PUBLIC = lab("test_public")


def says_lacking(text):
    return PUBLIC.VERSION.search(text), PUBLIC.LACKING.search(text)


def decoded(text):
    try:
        return decode(text.encode("utf-8", "replace"), "answers.md", script=False)
    except UnreadableSubmission:
        return None


READERS = {
    "printed_shape": lambda text: [printed_shape(text, shape) for shape in ((3, 4, 8), (1, 1, 1, 1))],
    "printed_row": lambda text: printed_row(text, ROWS),
    "stated_shape": lambda text: stated_shape(text, (8, 32, 128)),
    "lines_named": lambda text: lines_named(text, {"A": (), "D": ("x4",)}),
    "named_part": lambda text: named_part({text: text}, "query"),
    "sections": lambda text: list(Sections({"one": ["Exercise 1"]}).lines(text)),
    "showing": lambda text: (plain(text), line(text), written([text] * 8)),
    "definitions": lambda text: definitions(Program("script", "a.py", (f"(\n{text}",))),
    "magics": lambda text: (list(_DEFINITION.finditer(text)), _MAGIC.sub("", text)),
    "file names": lambda text: closeness(text, "attention.py"),
    "words in code cells": only_a_string,
    "decoding": decoded,
    "imports": lambda text: (_imports(text), looks_like_python(text)),
    "an installed module": lambda text: list(_DEFINES.finditer(text)),
    "a mark": _FORMULA.match,
    "a cell of the gradebook": cell,
    "a report's text": lambda text: (_calm(text), one_line(text)),
    "the terminal": harmless,
    "the lab's times": lab("test_hidden").lasting,
    "the lab's sentence": says_lacking,
}


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", READERS)
def test_no_text_takes_long(name):
    read = READERS[name]

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    slow = {}
    try:
        for text in texts():
            signal.setitimer(signal.ITIMER_VIRTUAL, 2 * MOST_SECONDS)
            began = time.process_time()
            try:
                read(text)
            except TimeoutError:
                pass
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            seconds = time.process_time() - began
            if seconds > MOST_SECONDS:
                slow[text[:12]] = round(seconds, 2)
                break
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert not slow
