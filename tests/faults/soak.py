"""python -m tests.faults.soak [COUNT] [BACKEND]: thousands of submissions through one process (`make soak`).

Right, wrong and hostile ones in turn. What the grader and its zygote hold must not grow in the second half.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from graders.assignment import find_assignment
from graders.limits import limits_of
from graders.reading import read_submission
from graders.result import Result, Status, Student
from graders.session import GradingSession, Job
from sandbox import Sandbox
from tests.attest.conftest import RIGHT, TOML, WRONG, write_assignment
from tests.attest.processes import descendants
from tests.faults.cohorts import cgroups, mounts

COUNT = 5_000
EVERY = 25  # submissions between two looks
SETTLED = 2  # seconds in which what has been killed may still be ending
LOOKS = 5  # at descriptors, of which the fewest counts
RESTING = 3  # processes of a sandbox without work: outermost, zygote, and a guest that waits

# What is graded, how often in a hundred, and the points that it gets.
KINDS: dict[str, tuple[str, int, float]] = {
    "right": (RIGHT, 52, 5),
    "wrong": (WRONG, 20, 0),
    "raises": ("def double(x):\n    raise ValueError('no')\n", 5, 0),
    "prints": (f"print('x' * 200_000)\n{RIGHT}", 5, 5),
    "ends itself": ("import os\ndef double(x):\n    os._exit(3)\n", 4, 0),
    "leaves children": (
        f"import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        time.sleep(600)\n{RIGHT}",
        4,
        5,
    ),
    "leaves threads": (
        "import threading, time\nfor _ in range(8):\n"
        f"    threading.Thread(target=time.sleep, args=(600,)).start()\n{RIGHT}",
        4,
        5,
    ),
    "leaves files": (
        f"for n in range(40):\n    open(f'/tmp/{{n}}', 'wb').write(bytes(100_000))\n{RIGHT}",
        3,
        5,
    ),
    "takes memory": ("def double(x):\n    return bytearray(10**10)\n", 2, 0),
    "forges": ("import os\ndef double(x):\n    os.write(3, b'passed' * 100)\n    return x\n", 1, 0),
}


@dataclass(frozen=True)
class Held:
    """What the grader and the zygote hold, at one moment; the guest that waits shares its memory."""

    submissions: int
    grader_bytes: int
    sandbox_bytes: int
    descriptors: int
    sandbox_descriptors: int
    processes: int
    mounts: int
    files: int
    cgroups: int


# How much more may be held at the end of the second half than at its beginning, by the straight line.
MOST_GROWTH = {"grader_bytes": 6 * 2**20, "sandbox_bytes": 6 * 2**20}
_ONE = 1.0


@dataclass
class Soak:
    """What came of it."""

    looks: list[Held] = field(default_factory=list)
    points: dict[str, Counter[float]] = field(default_factory=dict)
    not_graded: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def growth(self) -> dict[str, float]:
        """Of each thing that is held, over the second half."""
        half = self.looks[len(self.looks) // 2 :]
        places = [float(look.submissions) for look in half]
        return {
            name.name: _slope(places, [float(getattr(look, name.name)) for look in half])
            * (places[-1] - places[0])
            for name in fields(Held)
            if name.name != "submissions"
        }

    def grown(self) -> list[str]:
        """What is not flat, in words."""
        return [
            f"{name} grew by {more:.1f}"
            for name, more in self.growth().items()
            if more > MOST_GROWTH.get(name, _ONE)
        ]

    def wrong(self) -> list[str]:
        """The kinds that got other points than they must."""
        return [
            f"{kind}: {dict(points)}, not {KINDS[kind][2]:g}"
            for kind, points in self.points.items()
            if set(points) != {KINDS[kind][2]}
        ]


def _slope(xs: list[float], ys: list[float]) -> float:
    """Of the straight line with the least squares."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0


def soak(count: int, folder: Path, backend: str = "bubblewrap", tell: bool = False) -> Soak:
    """Grade `count` submissions in one session, looking every now and then."""
    found = Soak()
    write_assignment(folder / "doubling")
    toml = TOML.replace("load_seconds = 2", "load_seconds = 2\ncheck_seconds = 2\nmemory_bytes = 400000000")
    (folder / "doubling" / "assignment.toml").write_text(toml)
    assignment = find_assignment(folder / "doubling")
    order = [kind for kind, (_, often, _) in KINDS.items() for _ in range(often)]
    submissions = {}
    for number, (kind, (source, _, _)) in enumerate(KINDS.items()):
        path = folder / f"{number}.py"
        path.write_text(source)
        submissions[kind] = read_submission(path, assignment.files, names=["double"])
    began = time.monotonic()

    def jobs() -> Iterator[Job]:
        for number in range(count):
            kind = order[number * 37 % len(order)]
            yield Job(Student(id=f"{number} {kind}"), submissions[kind], kind)

    def sink(result: Result) -> None:
        number, _, kind = result.student.id.partition(" ")
        if result.status is not Status.GRADED:
            found.not_graded.append(f"{result.student.id}: {result.internal or result.message}")
        found.points.setdefault(kind, Counter())[result.points] += 1
        if int(number) % EVERY == EVERY - 1:
            found.looks.append(look(int(number) + 1))
            if tell and len(found.looks) % 10 == 0:
                print(f"{time.monotonic() - began:6.0f} s  {found.looks[-1]}", flush=True)

    with Sandbox(backend, limits_of(assignment)) as sandbox:
        sandbox.start()
        GradingSession(assignment, sandbox, seed=4).run(jobs(), sink)
    found.seconds = time.monotonic() - began
    return found


def look(submissions: int) -> Held:
    """Count everything, once what has been killed has ended or is sure to stay."""
    me = os.getpid()
    fewest = descendants(me)
    until = time.monotonic() + SETTLED
    while time.monotonic() < until and len(fewest) > RESTING:
        time.sleep(0.01)
        fewest = min(fewest, descendants(me), key=len)
    return Held(
        submissions,
        _anonymous(me),
        sum(map(_anonymous, fewest[:2])),
        len(os.listdir("/proc/self/fd")),
        min(_of_the_sandbox(fewest[:2]) for _ in range(LOOKS)),
        len(fewest),
        len(mounts(Path(tempfile.gettempdir()))) + sum(map(_mounts, fewest[:2])),
        len(os.listdir(tempfile.gettempdir())),
        len(cgroups([me])),
    )


def _of_the_sandbox(pids: list[int]) -> int:
    """How many descriptors they have; while the zygote forks a guest, it has those of the guest too."""
    time.sleep(0.01)
    return sum(map(_descriptors, pids))


def _anonymous(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")), 0)


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def _mounts(pid: int) -> int:
    try:
        return len(Path(f"/proc/{pid}/mounts").read_text().splitlines())
    except OSError:
        return 0


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    backend = sys.argv[2] if len(sys.argv) > 2 else "bubblewrap"
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "temporary"
        own.mkdir()
        tempfile.tempdir = str(own)
        found = soak(count, Path(folder), backend, tell=True)
        tempfile.tempdir = None
    each = found.seconds / count * 1000
    print(f"{count:,} submissions in {found.seconds:.0f} s, {each:.1f} ms each, in the {backend} sandbox")
    for kind, points in found.points.items():
        print(f"  {kind:<16} {points.total():>5}  points {dict(points)}")
    for name, more in found.growth().items():
        first, last = getattr(found.looks[0], name), getattr(found.looks[-1], name)
        print(f"  {name:<20} {first:>12,} at first {last:>12,} at last {more:>+14,.1f} over the second half")
    for line in (*found.grown(), *found.wrong(), *found.not_graded[:5]):
        print(f"NOT AS IT MUST BE: {line}")
    return 1 if found.grown() or found.wrong() or found.not_graded else 0


if __name__ == "__main__":
    sys.exit(main())
