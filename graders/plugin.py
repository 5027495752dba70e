"""The pytest plugin: one session collects an assignment's checks once and runs them as often as asked.

Everything of the user's own pytest stays out: ini files, conftest.py, environment variables, plugins.
Nothing is printed. What a run means is not known here: a `Runner` carries checks out, `loop` decides which.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pytest

from graders.assignment import FILE, Assignment, AssignmentError, Exercise
from graders.checks import Cases, Check, cases_of, points_of, title_of

# What a graded test has no use for; each costs time in every run, or prints, or writes files.
_WITHOUT = [
    *("terminal", "debugging", "capture", "skipping", "legacypath", "pastebin", "junitxml", "doctest"),
    *("cacheprovider", "setuponly", "setupplan", "stepwise", "unraisableexception", "threadexception"),
    *("warnings", "logging", "reports", "faulthandler", "subtests", "unittest", "recwarn"),
]

_module_numbers = itertools.count(1)


@dataclass(frozen=True)
class Collected:
    """A check and the pytest item that carries it out."""

    check: Check
    exercise: Exercise
    item: pytest.Function

    def __call__(self, following: Collected | None) -> BaseException | None:
        """Run it; return how it ended. What `following` does not need of the fixtures is torn down."""
        plugin: ChecksPlugin = self.item.config.stash[_PLUGIN]
        return plugin.run(self, following)


class Runner(Protocol):
    """What the plugin asks of whoever grades, while an item runs."""

    def before(self) -> None:
        """Called before any fixture is set up; what it raises ends the item."""

    def make_student(self) -> Any:
        """Return the value of the `student` fixture."""

    def carry_out(
        self, collected: Collected, fixtures: dict[str, Any], test: Callable[..., Any], cases: Cases | None
    ) -> None:
        """Call the test."""


Loop = Callable[[tuple[Collected, ...]], None]

_PLUGIN = pytest.StashKey["ChecksPlugin"]()


def run_pytest(assignment: Assignment, runner: Runner, loop: Loop, *, public_only: bool) -> None:
    """Collect the assignment's checks, call `loop` with them once, and tidy up.

    Raises AssignmentError where the tests cannot be used, and whatever `loop` raises.
    """
    for exercise in assignment.exercises:
        if exercise.released and not public_only:
            raise AssignmentError(
                f"{exercise.folder}: these are the public checks of a handout, which grade nothing. Name the "
                "assignment that the handout was made of, or run: attest check"
            )
    plugin = ChecksPlugin(assignment, runner, loop, public_only=public_only)
    arguments = [
        *(str(path) for path in plugin.paths),
        f"--config-file={os.devnull}",
        f"--rootdir={assignment.folder}",
        "--noconftest",
        "--import-mode=importlib",
        "--assert=plain",
        *(f"-pno:{name}" for name in _WITHOUT),
    ]
    try:
        with _own_environment(), _quiet():
            status = pytest.main(arguments, plugins=[plugin])
    finally:
        plugin.forget_modules()
    if plugin.raised is not None:
        raise plugin.raised
    if plugin.errors:
        raise AssignmentError(plugin.errors[0])
    if status == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if not plugin.looped:
        raise AssignmentError(f"{assignment.folder}: pytest could not collect its tests ({status!r}).")


class ChecksPlugin:
    """Collects the checks, and runs items outside pytest's own loop."""

    def __init__(self, assignment: Assignment, runner: Runner, loop: Loop, *, public_only: bool) -> None:
        self._assignment = assignment
        self._runner = runner
        self._loop = loop
        self._public_only = public_only
        self._by_path = {
            path: (exercise, public)
            for exercise in assignment.exercises
            for path, public in ((exercise.public_tests, True), (exercise.hidden_tests, False))
            if public or not public_only
        }
        self._modules: list[str] = []
        self.errors: list[str] = []
        self.raised: BaseException | None = None
        self.looped = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The test files, in the assignment's order."""
        return tuple(self._by_path)

    def run(self, collected: Collected, following: Collected | None) -> BaseException | None:
        """Run one item with its fixtures; return the exception that ended it, if any.

        This is pytest's own protocol (`_pytest.runner`) without its reports and hooks, which nobody here
        reads: they took longer than most checks.
        """
        item = collected.item
        if not item._request:  # gone since it was run for another submission
            item._initrequest()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            ended = _ended(lambda: self._run(collected))
            after = following.item if following else None
            also = _ended(lambda: item.session._setupstate.teardown_exact(after))
        item._request, item.funcargs = False, {}  # type: ignore[assignment]  # as pytest does
        return ended or also

    def _run(self, collected: Collected) -> None:
        self._runner.before()
        item = collected.item
        item.session._setupstate.setup(item)
        fixtures = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
        cases = cases_of(item.obj)
        self._runner.carry_out(collected, fixtures, cases.test if cases else item.obj, cases)

    def forget_modules(self) -> None:
        """Drop the test modules, so that a later session reads its own."""
        for name in self._modules:
            sys.modules.pop(name, None)

    @pytest.fixture(name="student")
    def _student(self) -> Any:
        return self._runner.make_student()

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[_PLUGIN] = self

    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.Module | None:
        if module_path not in self._by_path:
            return None
        module: pytest.Module = ChecksModule.from_parent(parent, path=module_path)
        return module

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.errors:
            self.errors.append(f"{report.nodeid or self._assignment.folder}: {str(report.longrepr).strip()}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.looped = True
        if self.errors:
            return True
        try:
            self._loop(self._collected(session.items))
        except BaseException as raised:
            self.raised = raised
        return True

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.raised = self.raised or excinfo.value
        return True

    def _collected(self, items: Sequence[pytest.Item]) -> tuple[Collected, ...]:
        found: dict[str, Collected] = {}
        for item in items:
            exercise, public = self._by_path[item.path]
            assert isinstance(item, pytest.Function)
            check = _check(item, exercise, public)
            if check.id in found:
                raise AssignmentError(
                    f"{item.path}: {check.name} is there twice in this exercise; give each its own name."
                )
            found[check.id] = Collected(check, exercise, item)
        for check_id, one in found.items():
            earlier = list(found)[: list(found).index(check_id)]
            found[check_id] = replace(one, check=self._with_requires(one, earlier))
        if not self._public_only:
            for exercise in self._assignment.exercises:
                _compare_points(exercise, [one.check for one in found.values() if one.exercise is exercise])
        return tuple(found.values())

    def _with_requires(self, one: Collected, earlier: Sequence[str]) -> Check:
        requires = tuple(name if "/" in name else f"{one.exercise.id}/{name}" for name in one.check.requires)
        for name in requires:
            if name not in earlier:
                raise AssignmentError(
                    f"{one.item.path}: {one.check.name} requires {name.rpartition('/')[2]!r}, which is not "
                    "defined before it. Name a check above it (or in the public tests)."
                )
        return replace(one.check, requires=requires)


class ChecksModule(pytest.Module):
    """A test file, imported under a name of its own: exercises have files of equal names."""

    def _getobj(self) -> ModuleType:
        name = f"attest_checks_{next(_module_numbers)}_{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look there
        self.config.stash[_PLUGIN]._modules.append(name)
        try:
            # Compiled here: no .pyc beside an author's tests, and never a stale one.
            exec(compile(self.path.read_bytes(), str(self.path), "exec"), module.__dict__)  # noqa: S102
        except Exception as error:
            where = _line_in(error, self.path)
            raise self.CollectError(f"cannot be imported: {type(error).__name__}: {error}{where}") from error
        return module


def _ended(run: Callable[[], None]) -> BaseException | None:
    """Return the exception that ended `run`; what is meant for pytest itself passes on."""
    try:
        run()
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException as ended:
        return ended
    return None


def _check(item: pytest.Function, exercise: Exercise, public: bool) -> Check:
    points, title = points_of(item.obj), title_of(item.obj)
    name = item.originalname
    if points is None:
        raise AssignmentError(
            f"{item.path}: {name} has no @points; give it some, or another name than test_…."
        )
    if title is None:
        raise AssignmentError(f"{item.path}: {name} has no docstring; it is the title that students read.")
    unknown = [name for name in item.fixturenames if name not in item._fixtureinfo.name2fixturedefs]
    if unknown and unknown != ["request"]:
        raise AssignmentError(
            f"{item.path}: {name} asks for {unknown[0]!r}, which is no fixture. A check takes `student`, "
            "fixtures of its file, and with @cases its case as the last parameter."
        )
    return Check(
        id=f"{exercise.id}/{name}",
        exercise=exercise.id,
        name=name,
        title=title,
        points=points.points,
        hint=points.hint,
        requires=points.requires,
        visibility=points.visibility,
        section=points.section,
        public=public,
    )


def _compare_points(exercise: Exercise, checks: Sequence[Check]) -> None:
    total = sum(check.points for check in checks) + sum(item.points for item in exercise.rubric)
    if abs(total - exercise.points) > 1e-9:
        parts = [f"{check.points:g} ({check.name})" for check in checks]
        parts += [f"{item.points:g} ([rubric.{item.id.rpartition('/')[2]}])" for item in exercise.rubric]
        what = "its checks and rubric items" if exercise.rubric else "its checks"
        raise AssignmentError(
            f"{exercise.folder / FILE}: points is {exercise.points:g}, but {what} add up to {total:g}: "
            f"{' + '.join(parts) or 'there is no check'}. Set points to {total:g} or change {what}."
        )


def _line_in(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return ""  # its message names file and line
    numbers = []
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(path):
            numbers.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return f" (line {numbers[-1]})" if numbers else ""


@contextlib.contextmanager
def _own_environment() -> Iterator[None]:
    """Keep the environment's pytest settings out of the session, and the session's out of the environment."""
    before = {name: value for name, value in os.environ.items() if name.startswith("PYTEST_")}
    for name in before:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    # Warnings of torch, the reference or a test are nobody's failure.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
