"""What a program spells out in its source: names, where they stand, signatures. Nothing is run.

The source is a student's: it may be no Python at all, or built to exhaust a parser. So nothing here raises,
whatever the source is (what cannot be told is not known), and each program is gone through once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, wraps
from itertools import islice
from typing import Any, ParamSpec, TypeVar, cast

from sandbox import Program

MOST_SIGNATURE = 1000
MOST_SIGNATURE_NODES = 2000  # parts of a signature, defaults and annotations included
MOST_SOURCE = 256 * 1024  # characters of a script or cell that is parsed
MOST_PARSED = 1024 * 1024  # characters of a program that are parsed; the rest is looked through line by line

_DEFINITION = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.M)
_MAGIC = re.compile(r"^([ \t]*)[%!].*", re.M)

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Places = Mapping[str, tuple[range, ...]]


def _else(unknown: Any) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Have a function return `unknown` where the source is more than Python's own parser can take."""

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            try:
                return function(*args, **kwargs)
            except Exception:
                return cast(_T, unknown)

        return guarded

    return decorate


@lru_cache(maxsize=64)
@_else(None)
def signature(program: Program, name: str, method: str | None = None) -> str | None:
    """Return "(query, key, mask=None)" for a function that is defined at the top level.

    With `method`: of this method of the class `name`, without its first parameter.
    """
    found = None
    left = MOST_PARSED
    for source in program.cells:
        left -= len(source)
        for statement in _statements(source) if left >= 0 and name in source else ():
            if getattr(statement, "name", None) == name:
                found = _signature(statement, method) or found
    return found if found is None or len(found) <= MOST_SIGNATURE else None


@_else(frozenset())
def definitions(program: Program) -> frozenset[str]:
    """Return the names that a program defines at its top level."""
    return frozenset(_index(program))


@lru_cache(maxsize=64)
@_else(frozenset())
def places(program: Program, name: str) -> frozenset[int]:
    """Return where a program defines `name`: lines of a script's top-level statements, or cells' numbers."""
    return frozenset(place for lines in _index(program).get(name, ()) for place in lines)


@lru_cache(maxsize=8)
@_else({})
def _index(program: Program) -> _Places:
    """Return each name that is defined at the top level, and the lines (or cells) that define it."""
    found: dict[str, list[range]] = {}
    numbers = program.numbers or tuple(range(1, len(program.cells) + 1))
    left = MOST_PARSED
    for number, source in zip(numbers, program.cells, strict=False):
        left -= len(source)
        for name, lines in _defined(source, parse=left >= 0):
            found.setdefault(name, []).append(
                lines if program.kind == "script" else range(number, number + 1)
            )
    return {name: tuple(lines) for name, lines in found.items()}


def _defined(source: str, *, parse: bool) -> Iterator[tuple[str, range]]:
    """Yield each name that a piece of source defines, with the lines of the statement that does."""
    statements = _statements(source) if parse else ()
    for statement in statements:
        lines = range(_first_line(statement), (statement.end_lineno or statement.lineno) + 1)
        for name in dict.fromkeys(_bound(statement)):
            yield name, lines
    if not statements:
        line, seen = 1, 0
        for match in _DEFINITION.finditer(source):
            line += source.count("\n", seen, match.start())
            seen = match.start()
            yield match[1] or match[2], range(line, line + 1)


@lru_cache(maxsize=2)
def _statements(source: str) -> tuple[ast.stmt, ...]:
    """Return the top-level statements of a script or cell without line magics; none where it is no Python."""
    if len(source) > MOST_SOURCE:
        return ()
    with suppress(Exception):  # as many kinds as there are ways to be no Python
        return tuple(ast.parse(source).body)
    with suppress(Exception):
        return tuple(ast.parse(_MAGIC.sub(r"\1pass", source)).body)
    return ()


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _bound(outer: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, also in its branches; these may be nested without end."""
    waiting: list[ast.stmt] = [outer]
    while waiting:
        statement = waiting.pop()
        targets: list[ast.expr | None] = []
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                continue
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
            case ast.Assign():
                targets += statement.targets
            case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.AsyncFor():
                targets.append(statement.target)
            case ast.With() | ast.AsyncWith():
                targets += [item.optional_vars for item in statement.items]
        for target in targets:
            for node in ast.walk(target) if target is not None else ():
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
        for field in ("body", "orelse", "finalbody"):
            waiting += getattr(statement, field, ())
        for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            waiting += branch.body


@_else(None)
def _signature(statement: ast.stmt, method: str | None) -> str | None:
    arguments: ast.arguments | None = None
    match statement, method:
        case ast.FunctionDef(args=arguments), None:
            pass
        case ast.ClassDef(body=body), str():
            for inner in body:
                if isinstance(inner, ast.FunctionDef) and inner.name == method and inner.args.args:
                    fields = dict(ast.iter_fields(inner.args))
                    arguments = ast.arguments(**{**fields, "args": inner.args.args[1:]})
    if arguments is None or any(islice(ast.walk(arguments), MOST_SIGNATURE_NODES, None)):
        return None
    return f"({ast.unparse(arguments)})"
