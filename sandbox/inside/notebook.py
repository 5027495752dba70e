"""The notebook shell: IPython's real cell semantics, without what a grader cannot offer.

The shell is made once in the zygote, and each guest has its own copy of it by the fork. Shell escapes,
installs and magics that need a browser, a kernel or a network are noted and skipped.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import os
import re
import shlex
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from . import notes
from .folder import work

# Where a script may have an escape of IPython's: none stands anywhere else.
_ESCAPED = re.compile(r"^[ \t\f]*[!%?,;/]|=[ \t\f\\\r\n]*[!%]|\?[ \t\f]*$", re.MULTILINE)
_INSTALLS = ("pip", "conda", "mamba", "micromamba", "uv", "apt", "apt-get")
_SKIPPED_LINES = (
    *_INSTALLS,
    "system",
    "sx",
    "sc",
    "tensorboard",
    "debug",
    "pdb",
    "bookmark",
    "pycat",
    "edit",
    "logstart",
)
_SKIPPED_CELLS = (
    "bash",
    "sh",
    "script",
    "system",
    "sx",
    "ruby",
    "perl",
    "javascript",
    "js",
    "html",
    "svg",
    "latex",
    "markdown",
)
_HARMLESS_LINES = (
    "matplotlib",
    "pylab",
    "config",
    "colors",
    "xmode",
    "gui",
    "load_ext",
    "reload_ext",
    "autoreload",
)


_MOST_SHOWN = 10_000  # characters of one value


class _Names(CachingCompiler):
    """Names each cell's code as the student counts it, so that tracebacks say "cell 3, line 2"."""

    number = 0
    files: dict[str, str] | None = None

    def get_code_name(self, *_: object) -> str:
        """The name for the cell's code; called by IPython when it compiles one."""
        name = f"<cell {self.number}>"
        if self.files is not None:
            self.files[name] = f"cell {self.number}"
        return name


class _Shell(InteractiveShell):
    """An InteractiveShell that neither writes history nor prints tracebacks, and has no system to call."""

    note: Callable[[str], None] = staticmethod(lambda _text: None)
    shows = False  # whether a cell's last value is printed

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self.passed_over: list[BaseException] = []  # errors of this cell that did not end it
        self._not_imported: set[str] = set()

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the error is in the report of the cell."""

    def system(self, cmd: str) -> None:
        self._skip_command(cmd)

    system_piped = system_raw = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:  # noqa: ARG002
        self._skip_command(cmd)
        return [] if split else ""

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        if magic_name not in self.magics_manager.magics["line"]:
            self.note(notes.SKIPPED.format(what=f"%{_short(magic_name)}", why=notes.NO_MAGIC))
            return None
        return super().run_line_magic(magic_name, line, _stack_depth + 1)  # this call is one frame more

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        if magic_name not in self.magics_manager.magics["cell"]:
            what = f"a cell that begins with %%{_short(magic_name)}"
            self.note(notes.SKIPPED.format(what=what, why=notes.NO_MAGIC))
            return None
        return super().run_cell_magic(magic_name, line, cell)  # type: ignore[no-untyped-call]

    async def run_code(self, code_obj: CodeType, result: Any = None, *, async_: bool = False) -> bool:
        """Run one statement of a cell; return whether the cell ends here.

        What cannot be imported, and what then needs it, costs a student nothing but itself.
        """
        failed: bool = await super().run_code(code_obj, result, async_=async_)  # type: ignore[no-untyped-call]
        error = None if result is None else result.error_in_exec
        if error is None or not self._is_for_want_of_a_package(code_obj, error):
            return failed
        self.passed_over.append(error)
        result.error_in_exec = None
        return False

    def _is_for_want_of_a_package(self, code: CodeType, error: BaseException) -> bool:
        if isinstance(error, NameError):
            return error.name in self._not_imported and error.name not in self.user_ns
        if not isinstance(error, ImportError) or not _was_importing(code, error):
            return False
        self._not_imported |= {
            step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"
        }
        return True

    def _skip_command(self, command: str) -> None:
        try:
            first = shlex.split(command)[0]
        except (ValueError, IndexError):
            first = command.strip().split(" ")[0]
        if os.path.basename(first) in (*_INSTALLS, "pip3"):
            self.note(notes.SKIPPED.format(what=f"!{_short(first)}", why=notes.NO_INSTALL))
        else:
            self.note(notes.SKIPPED.format(what=f"!{_short(first)}", why=notes.NO_SHELL))


def _short(name: str) -> str:
    return name[: notes.MOST_OF_A_NAME]


def _was_importing(code: CodeType, error: BaseException) -> bool:
    """Whether it was an import statement among the statements of `code` that raised."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            return dis.opname[code.co_code[trace.tb_lasti]] in ("IMPORT_NAME", "IMPORT_FROM")
        trace = trace.tb_next
    return False


class OneByOne(ast.NodeTransformer):
    """Makes `import a, b` at the top level two statements, so that b is there where a is not."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        body: list[ast.stmt] = []
        for statement in node.body:
            if isinstance(statement, ast.Import):
                body += [ast.copy_location(ast.Import([alias]), statement) for alias in statement.names]
            else:
                body.append(statement)
        node.body = body
        return node


def as_python(source: str) -> str:
    """Return a script's source with IPython's shell escapes and magics as calls, each line where it was."""
    if not _ESCAPED.search(source):  # IPython takes every word of the source into memory to look for one
        return source
    manager = TransformerManager()  # type: ignore[no-untyped-call]
    lines = source.splitlines(keepends=True)
    while True:
        changed, after = manager.do_one_token_transform(lines)  # type: ignore[no-untyped-call]
        if not changed:
            return "".join(lines)
        # A command that was continued on further lines is one line now.
        at = next(
            (n for n, (old, new) in enumerate(zip(lines, after, strict=False)) if old != new), len(after)
        )
        after[at + 1 : at + 1] = ["\n"] * (len(lines) - len(after))
        lines = after


def make_shell() -> None:
    """Make the one shell, in the zygote."""
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.cache_size = 0
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.history_load_length = 0
    main, hooks = sys.modules["__main__"], (sys.excepthook, sys.displayhook)
    made = _Shell.instance(config=config, compiler_class=_Names)
    made.ast_transformers.append(OneByOne())
    made.displayhook = made.display_trap.hook = _quiet_display(made)
    lines, cells = made.magics_manager.magics["line"], made.magics_manager.magics["cell"]
    lines.update({name: _skipper(made, f"%{name}") for name in _SKIPPED_LINES})
    lines.update(dict.fromkeys(_HARMLESS_LINES, _nothing))
    lines["cd"] = lambda line: _change_folder(made, line)
    cells.update({name: _skipper(made, f"%%{name}") for name in _SKIPPED_CELLS})
    run_cell(made, "1", 0)  # the first cell imports and compiles what every cell needs
    made.user_ns.pop("_", None)
    sys.modules["__main__"] = main
    sys.excepthook, sys.displayhook = hooks


def _quiet_display(made: _Shell) -> Any:
    hook = made.displayhook

    class Quiet(type(hook)):  # type: ignore[misc]
        """Keeps the last value as `_` and prints nothing: the repr of a model is nobody's output.

        Where what is printed is graded, it is printed: to a student a cell's last value is output.
        """

        def __call__(self, result: object = None) -> None:
            if result is not None:
                made.user_ns["_"] = result
                if made.shows:
                    # A repr that raises is no fault of the cell's.
                    with contextlib.suppress(Exception):
                        print(repr(result)[:_MOST_SHOWN])

    return Quiet(shell=made)


def _skipper(made: _Shell, label: str) -> Callable[..., None]:
    def skip(*_: str) -> None:
        name = label.lstrip("%")
        why = notes.NO_INSTALL if name in _INSTALLS else notes.NOT_AVAILABLE
        made.note(notes.SKIPPED.format(what=label, why=why))

    return skip


def _nothing(_line: str) -> None:
    """A magic that only changes how a notebook looks or reloads."""


def _change_folder(made: _Shell, line: str) -> None:
    target = os.path.normpath(os.path.join(os.getcwd(), line.strip().strip("'\"") or work()))
    if (target == work() or target.startswith(f"{work()}/")) and os.path.isdir(target):
        os.chdir(target)
    else:
        made.note(notes.SKIPPED.format(what=f"%cd {_short(line.strip())}", why=notes.NO_FOLDER))


def _names(made: _Shell) -> _Names:
    assert isinstance(made.compile, _Names)
    return made.compile


def shell() -> _Shell:
    """The shell made by the zygote."""
    return _Shell.instance()


def prepare(made: _Shell, note: Callable[[str], None], files: dict[str, str], *, shows: bool) -> None:
    """In a guest, before its first cell; `shows` prints each cell's last value."""
    made.note, made.shows = note, shows
    _names(made).files = files
    sys.modules["__main__"] = made.user_module


def serve_script(note: Callable[[str], None], module: ModuleType) -> Callable[[], _Shell]:
    """In a guest that runs a script: have magics act on `module`; return its `get_ipython`."""
    made = shell()
    made.note = note
    made.user_module, made.user_ns = module, module.__dict__
    return lambda: made


def run_cell(made: _Shell, source: str, number: int) -> BaseException | None:
    """Run one cell; the exception that it ended with, or the first that it went on after."""
    made.passed_over.clear()
    _names(made).number = number
    made.execution_count = number
    result = made.run_cell(source, store_history=False)  # type: ignore[no-untyped-call]
    error: BaseException | None = result.error_before_exec or result.error_in_exec
    if isinstance(error, UsageError):
        made.note(notes.MISUSED.format(number=number, said=str(error)[:150]))
    for missed in made.passed_over:
        if isinstance(missed, ImportError):
            made.note(notes.WENT_ON.format(number=number, said=str(missed)[:150]))
    return error or next(iter(made.passed_over), None)
