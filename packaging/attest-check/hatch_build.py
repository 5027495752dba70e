"""Chooses what goes into attest-check: the modules that `attest check` can ever import, and no others."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("attest", "graders", "reports", "sandbox")
# What public checks may import from `graders`, and what the sandbox starts by name, is found in no import.
STARTS = ("attest.student_main", "graders", "sandbox")
WHOLE = ("sandbox",)
# What checking needs of attest-grader's requirements, and what students' own code imports.
NEEDS = (
    *("torch", "numpy", "safetensors", "msgspec", "pydantic", "ipython", "nbformat", "matplotlib", "einops"),
    *("pytest", "hypothesis", "typer", "rich", "pyseccomp"),
)


def modules() -> dict[str, Path]:
    """Return every module that the starts import, at the top or later, by its path in the wheel."""
    found: dict[str, Path] = {}
    waiting = [*STARTS, *named_by_public_tests()]
    for package in WHOLE:
        waiting += [dotted(path) for path in (ROOT / package).rglob("*.py")]
    while waiting:
        name = waiting.pop()
        path = file_of(name)
        if path is None or name in found:
            continue
        found[name] = path
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        if name not in ("reports",):  # its names are imported on first use, one by one
            waiting += imported(name, path)
    return {path.relative_to(ROOT).as_posix(): path for path in found.values()}


def named_by_public_tests() -> list[str]:
    """Return what public tests import of ours: an author may use more than the start exports."""
    tests = (ROOT / "assignments").rglob("tests/test_public.py")
    return [name for path in tests for name in imported("test_public", path)]


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def file_of(name: str) -> Path | None:
    if name.partition(".")[0] not in PACKAGES:
        return None
    place = ROOT.joinpath(*name.split("."))
    if (place / "__init__.py").is_file():
        return place / "__init__.py"
    return place.with_suffix(".py") if place.with_suffix(".py").is_file() else None


def imported(name: str, path: Path) -> list[str]:
    """Return the names of ours that a module imports, with those that it names in a table of homes."""
    tree = ast.parse(path.read_bytes())
    base = name if path.name == "__init__.py" else name.rpartition(".")[0]
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    names: list[str] = []
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = base.split(".")[: len(base.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and name == "graders":
            names.append(node.value)
    return names


def main_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


class CustomMetadataHook(MetadataHookInterface):
    """Version and requirements are those of attest-grader."""

    def update(self, metadata: dict[str, Any]) -> None:
        project = main_project()
        metadata["version"] = project["version"]
        metadata["dependencies"] = [
            needed for needed in project["dependencies"] if needed.split(">=")[0].strip() in NEEDS
        ]


class CustomBuildHook(BuildHookInterface):
    """Puts the modules in at build time."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        build_data["force_include"] = {str(path): inside for inside, path in modules().items()}
