"""Running a submission so that whatever can be defined gets defined.

A script runs one top-level statement at a time in one module, a notebook one cell at a time in the
notebook shell. What raises is recorded and the rest goes on. A soft alarm stops what runs when the
time is up; from then on each further cell or statement gets a moment of its own.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import linecache
import os
import signal
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from . import colab, notebook, notes
from .folder import work
from .questions import CellOutcome, Loaded, Program
from .recording import Answer, Recorder
from .salting import salt
from .tracebacks import describe

# After the alarm each cell still gets this long, so that later definitions are made.
MOMENT = 1.0
MAX_CELLS = 10_000
MAX_NAMES = 2000
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


class LoadStopped(BaseException):
    """Raised in the student's code when its time for loading is up."""


class Loading:
    """A submission that has been run: its namespace and what became of each cell."""

    def __init__(self, program: Program, namespace: dict[str, Any], files: dict[str, str]) -> None:
        self.program = program
        self.namespace = namespace
        self.files = files  # code file name -> what the student calls it
        self.cells: list[CellOutcome] = []
        self.notes: list[str] = []
        self.seconds = 0.0
        self.recorded: Answer = (0, [], [])
        self._before = set(namespace)
        self._made: dict[str, object] = {}  # functions and classes, as they were last defined
        self._values: dict[str, object] = {}  # what stood under the names that were restored

    def record(self, number: int, status: str, error: BaseException | None = None, note: str = "") -> None:
        if len(self.cells) < MAX_CELLS:
            raised = None if error is None else describe(0, error, self.files)
            self.cells.append(CellOutcome(number, status, note, raised))  # type: ignore[arg-type]

    def finish(self, number: int, error: BaseException | None) -> None:
        """Record how a step ended, and what the names that are asked for stand for by now."""
        for name in self.program.names:
            value = self.namespace.get(name)
            if issubclass(type(value), (types.FunctionType, type)):
                self._made[name] = value
        if error is None:
            self.record(number, "ok")
        elif isinstance(error, LoadStopped):
            self.record(number, "stopped", note=str(error))
        elif isinstance(error, SystemExit):
            self.record(number, "ok", note=notes.ENDED_HERE)
        else:
            self.record(number, "raised", error)

    def restore(self) -> None:
        """Let the names that are asked for stand for what they were defined as.

        In a notebook for several exercises a later cell may use a function's name for a value; functions
        that call it, and the grader, mean the function.
        """
        for name, made in self._made.items():
            if name in self.namespace and not callable(self.namespace[name]):
                self._values[name] = self.namespace[name]
                self.namespace[name] = made

    def value(self, name: str) -> object:
        """The value that `name` was given last. Raises KeyError."""
        return self._values[name] if name in self._values else self.namespace[name]

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 50:
            self.notes.append(text[:300])

    def offer(self, name: str, value: object) -> None:
        """Put something of ours into the namespace, which the submission then does not define."""
        self.namespace[name] = value
        self._before.add(name)

    def answer(self, number: int) -> Loaded:
        return Loaded(number, self.cells, self.notes, self.seconds)

    def names(self) -> list[tuple[str, str, str | None]]:
        """Each public name that the submission defines: name, kind, signature."""
        found = []
        for name, value in list(self.namespace.items()):
            if type(name) is str and not name.startswith("_") and name not in self._before:
                found.append((name, *_kind(value)))
        return found[:MAX_NAMES]


def _kind(value: object) -> tuple[str, str | None]:
    if type(value) is types.ModuleType:
        return "module", None
    is_class = isinstance(value, type)
    if not is_class and not callable(value):
        return "value", None
    try:
        signature = str(inspect.signature(value))[:300]  # type: ignore[arg-type]
    except Exception:
        signature = None
    if is_class:
        return "class", signature
    return ("function" if inspect.isroutine(value) else "value"), signature


def load(program: Program, seconds: float) -> Loading:
    """Run the program; never raises for what the student's code does."""
    builtins.input = _no_input
    if program.salted:
        salt()
    sys.modules.update(colab.modules())
    # Last, so that a student's torch.py shadows nothing.
    sys.path.append(work())
    start = time.monotonic()
    alarm = Alarm(seconds)
    run = _load_notebook if program.kind == "notebook" else _load_script
    if program.record:
        with Recorder() as recorder:
            loading = run(program, alarm)
        loading.recorded = recorder.recording.answer()
    else:
        loading = run(program, alarm)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    loading.restore()
    loading.seconds = time.monotonic() - start
    return loading


def _no_input(_prompt: object = "") -> NoReturn:
    raise EOFError("input() has nobody to ask while the submission is graded; use a constant instead")


class Alarm:
    """Stops what runs in the main thread when the time for loading is up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._armed = False
        signal.signal(signal.SIGALRM, self._stop)

    def run(self, step: Callable[[], BaseException | None]) -> BaseException | None:
        """Run one step under the alarm; the exception that it returned or raised."""
        try:
            try:
                self._armed = True
                # Repeated, since a bare except in a loop may swallow the first.
                signal.setitimer(signal.ITIMER_REAL, max(self._end - time.monotonic(), MOMENT), 0.2)
                return step()
            finally:
                self._armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException as error:
            return error

    def _stop(self, _signal: int, _frame: object) -> None:
        if self._armed:
            raise LoadStopped(notes.STOPPED.format(seconds=self._seconds))


# Scripts


def _load_script(program: Program, alarm: Alarm) -> Loading:
    source, path = program.cells[0], program.path
    filename = os.path.join(work(), path)
    module = _module(program, filename)
    loading = Loading(program, module.__dict__, {filename: path})
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    sys.argv = [path]
    line = [0]
    if "get_ipython" in source:  # as in what Jupyter saves as a script
        _offer_ipython(loading, module, line)
    try:
        tree = ast.parse(source, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found = _parsed_as_ipython(source, filename, error, alarm)
        if isinstance(found, BaseException):
            loading.record(getattr(found, "lineno", None) or 1, "raised", found)
            return loading
        tree = found
        _offer_ipython(loading, module, line)
    tree = notebook.OneByOne().visit(tree)
    module.__doc__ = ast.get_docstring(tree, clean=False)
    flags = 0
    for statement in tree.body:
        if not allowed(statement, program.level):
            loading.record(statement.lineno, "skipped")
            continue
        try:
            code = compile(ast.Module([statement], []), filename, "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            loading.record(statement.lineno, "raised", error)
            continue
        flags |= code.co_flags & _FUTURES
        line[0] = statement.lineno
        ended = alarm.run(partial(exec, code, module.__dict__))
        loading.finish(statement.lineno, ended)
        if isinstance(ended, SystemExit):
            loading.note(
                notes.ENDED_ITSELF.format(path=path[: notes.MOST_OF_A_PATH], number=statement.lineno)
            )
            break
    return loading


def _parsed_as_ipython(
    source: str, filename: str, error: Exception, alarm: Alarm
) -> ast.Module | BaseException:
    """Parse what Colab and Jupyter save as a script, with its shell escapes and magics as they stand there.

    Returns the mistake where it is no script even so.
    """
    parsed: list[ast.Module] = []

    def parse() -> None:
        python = notebook.as_python(source)
        if python != source:
            parsed.append(ast.parse(python, filename))

    mistake = alarm.run(parse)
    if parsed:
        return parsed[0]
    return mistake if isinstance(mistake, SyntaxError) else error


def _offer_ipython(loading: Loading, module: types.ModuleType, line: list[int]) -> None:
    """Give a script the shell that its escapes and magics are calls to; notes name the line that runs."""
    get_ipython = notebook.serve_script(
        lambda text: loading.note(notes.IN_LINE.format(number=line[0], note=text)), module
    )
    loading.offer("get_ipython", get_ipython)


def _module(program: Program, filename: str) -> types.ModuleType:
    name = os.path.splitext(os.path.basename(program.path))[0]
    if program.run_as == "__main__":
        name = "__main__"
    elif name in sys.modules or not name.isidentifier():
        name = "submission"
    module = types.ModuleType(name)
    module.__file__ = filename
    module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules[name] = module
    return module


def allowed(statement: ast.stmt, level: str) -> bool:
    """Whether a top-level statement runs at this level."""
    if level == "all" or isinstance(
        statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    ):
        return True
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return level == "definitions" or not any(isinstance(node, _WORK) for node in ast.walk(statement))
    if isinstance(statement, ast.Try):
        # try: import x  except ImportError: ...
        parts = [*statement.body, *statement.orelse, *statement.finalbody]
        parts += [inner for handler in statement.handlers for inner in handler.body]
        return all(isinstance(part, ast.Pass) or allowed(part, level) for part in parts)
    return False


_WORK = (ast.Call, ast.Await, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# Notebooks


def _load_notebook(program: Program, alarm: Alarm) -> Loading:
    numbers = program.numbers or tuple(range(1, len(program.cells) + 1))
    shell = notebook.shell()
    loading = Loading(program, shell.user_ns, {})
    notebook.prepare(shell, loading.note, loading.files, shows=program.record)
    if program.level != "all":
        shell.ast_transformers.append(_Filter(program.level))
    sys.argv = [program.path]
    for number, source in zip(numbers, program.cells, strict=True):
        loading.finish(number, alarm.run(partial(notebook.run_cell, shell, source, number)))
    return loading


class _Filter(ast.NodeTransformer):
    """Leaves only the statements that a level allows, at their lines."""

    def __init__(self, level: str) -> None:
        self._level = level

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [statement for statement in node.body if allowed(statement, self._level)]
        return node
