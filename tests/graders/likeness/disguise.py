"""A copy as somebody makes it who does not want it to be seen."""

from __future__ import annotations

import ast
import builtins
import random


def disguised(source: str, seed: int) -> str:
    """Return the same program with other names, another order, other comments, annotations and layout."""
    tree = ast.parse(source)
    public = set(dir(builtins)) | {"self"}
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                public |= {(one.asname or one.name).split(".")[0] for one in node.names}
            case ast.FunctionDef() | ast.ClassDef():
                public.add(node.name)
            case ast.arg():
                public.add(node.arg)  # callers may name it
    tree = _Renamed(public).visit(tree)
    rng = random.Random(seed)
    _shuffle(tree, rng)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            _shuffle(node, rng)
    return "# All of this is mine.\n" + ast.unparse(ast.fix_missing_locations(tree))


class _Renamed(ast.NodeTransformer):
    def __init__(self, public: set[str]) -> None:
        self._public = public
        self._names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in self._public:
            node.id = self._names.setdefault(node.id, f"thing_{len(self._names)}")
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Constant("Written one evening.")))
        node.returns = ast.Name("object", ast.Load())
        return node


def _shuffle(node: ast.Module | ast.ClassDef, rng: random.Random) -> None:
    moved = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    kept = [one for one in node.body if one not in moved]
    rng.shuffle(moved)
    node.body = [*kept, *moved]
