"""A program as a row of labels that renaming, comments, layout and annotations do not change.

Labels are the nodes of the syntax tree in the order of the text: what a student names is one and the same
label, what a library names (attributes, keywords, imported names, builtins) keeps its name.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BUILTINS = frozenset(dir(builtins))
# IPython's own lines: %matplotlib inline, !pip install, tensor?
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_LEFT_OUT = (ast.Load, ast.Store, ast.Del, ast.expr_context, ast.Import, ast.ImportFrom, ast.alias)
_MOST_LABELS = 60_000  # of one submission; a real one has some thousand


@dataclass(frozen=True)
class Label:
    """One label, and the line of the text that it stands for."""

    text: str
    line: int  # 1-based, of all the program's cells one after the other


def labels_of(cells: Sequence[tuple[str, int]]) -> list[Label]:
    """Return the labels of cells, each with the number of its first line.

    What is not Python, even without IPython's own lines, is taken token by token.
    """
    found: list[Label] = []
    for source, first in cells:
        found += (Label(text, first + line - 1) for text, line in _labels(source))
        if len(found) > _MOST_LABELS:
            return found[:_MOST_LABELS]
    return found


def _labels(source: str) -> list[tuple[str, int]]:
    for text in (source, _MAGIC.sub(r"\1pass", source)):
        try:
            return list(_Walk(ast.parse(text)).labels())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return list(_split(source))


class _Walk:
    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._known = set(_BUILTINS)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._known |= {(one.asname or one.name).split(".")[0] for one in node.names}

    def labels(self) -> Iterator[tuple[str, int]]:
        yield from self._node(self._tree, 1)

    def _node(self, node: ast.AST, line: int) -> Iterator[tuple[str, int]]:
        if isinstance(node, _LEFT_OUT) or _says_nothing(node):
            return
        line = getattr(node, "lineno", line)
        yield self._label(node), line
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_comment", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._node(child, line)

    def _label(self, node: ast.AST) -> str:
        label = type(node).__name__
        match node:
            case ast.Name(id=name):
                label = name if name in self._known else "name"
            case ast.Attribute(value=ast.Name(id="self")):
                label = "self.name"
            case ast.Attribute(attr=attr):
                label = f".{attr}"
            case ast.keyword(arg=arg):
                label = f"{arg}="
            case ast.Constant(value=str() | bytes()):
                label = "text"
            case ast.Constant(value=value):
                label = repr(value)
            case ast.AnnAssign(value=value) if value is not None:
                label = "Assign"
        return label


def _says_nothing(node: ast.AST) -> bool:
    """Docstrings, other constants that stand alone, and `pass`."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _split(source: str) -> Iterator[tuple[str, int]]:
    """The tokens of what is not valid Python, as far as they can be read."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME:
                known = keyword.iskeyword(token.string) or token.string in _BUILTINS
                yield token.string if known else "name", token.start[0]
            elif token.type in (tokenize.OP, tokenize.NUMBER):
                yield token.string, token.start[0]
            elif token.type == tokenize.STRING:
                yield "text", token.start[0]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return
