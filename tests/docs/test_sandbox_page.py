"""What docs/sandbox.md promises is what the code does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from graders.result import Verdict
from sandbox.backends import BACKENDS
from sandbox.limits import Limits
from sandbox.undefended import UNDEFENDED

PAGE = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text()
UNITS = {"s": 1, "": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30}


def test_the_table_of_limits_is_the_table_in_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) ?(\w*) \|", PAGE, re.MULTILINE)
    assert {name: int(number) * UNITS[unit] for name, number, unit in rows} == dataclasses.asdict(Limits())


def test_every_verdict_is_explained() -> None:
    table = PAGE.partition("## Verdicts")[2].partition("\n## ")[0]
    assert {verdict for verdict in Verdict if f"`{verdict}`" not in table} == set()


def test_every_backend_is_in_the_table() -> None:
    table = PAGE.partition("## Which backend")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(BACKENDS)


def test_what_user_does_not_defend_from_is_said() -> None:
    table = PAGE.partition("<!-- undefended:")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([\w ]+)` \|", table, re.MULTILINE) == list(UNDEFENDED["user"])
