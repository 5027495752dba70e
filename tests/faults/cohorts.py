"""A small cohort, `attest grade` over it, and what must be the same however a run was disturbed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.result import read_result
from tests.attest.conftest import RIGHT, WRONG, write_assignment
from tests.attest.processes import children, descendants, runs

SEED = 7
STUDENTS = {
    "ada": f"import time\ntime.sleep(0.3)\n{RIGHT}",
    "bela": f"import time\ntime.sleep(0.3)\n{WRONG}",
    "chidi": RIGHT,
    "dilnoza": "import os\ndef double(x):\n    os._exit(3)\n",
    "emeka": f"print('x' * 1000)\n{RIGHT}",
    "farah": "def double(x):\n    raise ValueError('no')\n",
}
# Of a check and a run: what a disturbed run may have otherwise.
_TIMES = {"seconds", "cpu_seconds", "peak_memory_bytes", "started_at", "finished_at"}


@dataclass(frozen=True)
class Place:
    """An assignment, a cohort, an output folder, and a folder for temporary files, below one folder."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    def command(self, program: list[str], *more: str) -> list[str]:
        paths = map(str, (self.folder / "doubling", self.folder / "cohort"))
        return [*program, "grade", *paths, "-o", str(self.out), "--seed", str(SEED), "-j", "2", *more]

    def start(self, program: list[str], *more: str, **environment: str) -> subprocess.Popen[str]:
        """`attest grade`, begun."""
        return subprocess.Popen(
            self.command(program, *more),
            env=os.environ | {"TMPDIR": str(self.temporary)} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: list[str], *more: str, **environment: str) -> tuple[int, str]:
        """`attest grade` to its end: the exit status and all that it printed."""
        process = self.start(program, *more, **environment)
        try:
            output, errors = process.communicate(timeout=180)
        finally:
            process.kill()
        return process.returncode, output + errors

    def whole(self) -> dict[str, Any]:
        """Each student's result but for times; ResultError where one is half written."""
        return {result.student.id: _timeless(result.model_dump(mode="json")) for result in self._results()}

    def _results(self) -> list[Any]:
        return [read_result(path) for path in sorted((self.out / "results").glob("*.json"))]

    def left_over(self) -> list[str]:
        """What no run leaves: temporary files, and files half written."""
        return [
            str(path)
            for folder in (self.out, self.temporary)
            for path in folder.rglob("*")
            if folder == self.temporary or path.name.startswith(".")
        ]


def place(folder: Path) -> Place:
    """Write the assignment and the cohort."""
    folder.mkdir(parents=True, exist_ok=True)
    write_assignment(folder / "doubling")
    (folder / "temporary").mkdir()
    (folder / "cohort").mkdir()
    for student, source in STUDENTS.items():
        (folder / "cohort" / f"{student}.py").write_text(source)
    return Place(folder)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in _TIMES}
    if isinstance(value, list):
        return [_timeless(item) for item in value]
    return value


def mounts(below: Path) -> list[str]:
    """Where something is mounted below a folder."""
    places = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [place for place in places if Path(place).is_relative_to(below)]


def cgroups(made_by: Iterable[int]) -> list[str]:
    """The control groups that some processes have made: they have their pid in their name."""
    pids = {str(pid) for pid in made_by}
    return [
        str(path)
        for path in Path("/sys/fs/cgroup").glob("*/attest-*")
        if not pids.isdisjoint(path.name.split("-"))
    ]


@dataclass(frozen=True)
class Running:
    """The processes of one `attest grade`."""

    command: int

    def pool(self) -> list[int]:
        return [child for child in children(self.command) if runs(child, "graders.workers")]

    def workers(self) -> list[int]:
        return [child for pool in self.pool() for child in children(pool) if runs(child, "graders.workers")]

    def sandbox(self) -> list[int]:
        """What the pool has started that is no worker: the sandbox, outermost first."""
        begun = [
            child for pool in self.pool() for child in children(pool) if not runs(child, "graders.workers")
        ]
        return [each for child in begun for each in (child, *descendants(child))]

    def of(self, kind: str) -> list[int]:
        """The processes of one kind: command, pool, worker, zygote, guest."""
        sandbox = self.sandbox()
        inner = [pid for pid in sandbox if not children(pid)]
        return {
            "command": [self.command],
            "pool": self.pool(),
            "worker": self.workers(),
            "zygote": [pid for pid in sandbox if pid not in inner],
            "guest": inner if len(sandbox) > len(inner) else [],
        }[kind]
