# Tries to import the grader, the reference, the hidden tests and pytest.
import importlib
import sys


def attempt():
    found = []
    for name in (
        "graders",
        "graders.result",
        "reference",
        "sandbox",
        "sandbox.guest",
        "attest",
        "assignments",
        "tests",
        "pytest",
        "_pytest",
        "hypothesis",
        "pydantic",
        "typer",
        "pyseccomp",
    ):
        try:
            importlib.import_module(name)
            found.append(name)
        except ImportError:
            pass
    found += [
        name for name in sys.modules if name.split(".")[0] in ("graders", "reference", "sandbox", "pytest")
    ]
    found += [path for path in sys.path if not path.startswith(("/python", "/packages", "/guest", "/work"))]
    return found
