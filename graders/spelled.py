"""What a program spells out in its source: names, where they stand, signatures. Nothing is run.

The source is a student's: it may be no Python at all, or built to exhaust a parser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sandbox import Program

MOST_SIGNATURE = 1000
MOST_SOURCE = 256 * 1024  # characters of a script or cell that is looked into for names


def signature(program: Program, name: str, method: str | None = None) -> str | None:
    """Return "(query, key, mask=None)" for a function that is defined at the top level.

    With `method`: of this method of the class `name`, without its first parameter.
    """
    found = None
    for source in program.cells:
        for statement in _statements(source):
            if getattr(statement, "name", None) == name:
                found = _signature(statement, method) or found
    return found if found is None or len(found) <= MOST_SIGNATURE else None


def definitions(program: Program) -> Iterator[str]:
    """Yield the names that a program defines at its top level."""
    for source in program.cells:
        yield from names_in(source)


def names_in(source: str) -> set[str]:
    """Return the names that a piece of source defines at its top level."""
    statements = _statements(source)
    if not statements:
        return set(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", source, re.M)) | set(
            re.findall(r"^(\w+)\s*(?::[^=\n]*)?=(?!=)", source, re.M)
        )
    return {name for statement in statements for name in _bound(statement)}


def _statements(source: str) -> list[ast.stmt]:
    """Return the top-level statements of a script or cell without line magics; none where it is no Python."""
    without_magics = "\n".join("pass" if text[:1] in ("%", "!") else text for text in source.split("\n"))
    try:
        return ast.parse(without_magics).body if len(source) <= MOST_SOURCE else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def defined_at(source: str, number: int) -> set[str]:
    """Return the names that the top-level statement beginning at this line defines."""
    return {
        name
        for statement in _statements(source)
        if _first_line(statement) <= number <= (statement.end_lineno or statement.lineno)
        for name in _bound(statement)
    }


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
            for field in ("body", "orelse", "finalbody"):
                for inner in getattr(statement, field, []):
                    yield from _bound(inner)
            for handler in getattr(statement, "handlers", []):
                for inner in handler.body:
                    yield from _bound(inner)


def _signature(statement: ast.stmt, method: str | None) -> str | None:
    arguments: ast.arguments | None = None
    match statement, method:
        case ast.FunctionDef(args=arguments), None:
            pass
        case ast.ClassDef(body=body), str():
            for inner in body:
                if isinstance(inner, ast.FunctionDef) and inner.name == method and inner.args.args:
                    arguments = inner.args
                    arguments.args = arguments.args[1:]
    try:
        return None if arguments is None else f"({ast.unparse(arguments)})"
    except RecursionError:
        return None
