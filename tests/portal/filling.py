"""Filling a portal, and reading all its rows: a program, since a test has no hold of another one's database.

python -m tests.portal.filling DATA ASSIGNMENT    fills it, and prints what there is now, as JSON
python -m tests.portal.filling DATA               prints every row of every table, as JSON
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attest.serve import ready_django
from tests.portal.running import SETTINGS


@dataclass
class World:
    """What a browser needs to know of what is there."""

    sessions: dict[str, str] = field(default_factory=dict)  # by person
    numbers: dict[str, int | str] = field(default_factory=dict)  # of what addresses name
    paths: dict[str, str] = field(default_factory=dict)  # that nobody can guess


def fill_portal(data: Path, assignment: Path, env: Mapping[str, str]) -> World:
    """Fill the new portal whose data is in this folder; `assignment` is a small one's folder."""
    return World(**_run(data, assignment, env=env))


def rows_of(data: Path, env: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return every row of every table of a portal, as Python has its values."""
    found: dict[str, list[Any]] = _run(data, env=env)
    return found


def _run(*arguments: Path, env: Mapping[str, str]) -> Any:
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    run = subprocess.run(
        [sys.executable, "-m", "tests.portal.filling", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        env={**kept, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout)


def main() -> int:
    """Do what is asked."""
    ready_django(Path(sys.argv[1]))
    print(json.dumps(_filled(Path(sys.argv[2])) if sys.argv[2:] else _rows(), sort_keys=True))
    return 0


def _filled(assignment: Path) -> dict[str, Any]:
    from attest.portal.serving import prepare
    from tests.portal.world import fill

    prepare()
    world = World()
    fill(world, assignment)
    return asdict(world)


def _rows() -> dict[str, list[Any]]:
    from django.apps import apps

    every = apps.get_models(include_auto_created=True)
    ours = [one for one in every if one.__module__.startswith("attest.portal.")]
    return {
        one._meta.label_lower: [
            {name: value if isinstance(value, (dict, list)) else repr(value) for name, value in row.items()}
            for row in one._default_manager.order_by("pk").values()
        ]
        for one in ours
    }


if __name__ == "__main__":
    sys.exit(main())
