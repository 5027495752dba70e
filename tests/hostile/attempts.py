"""The corpus as data: each file's first line says what it tries, the lines below it what must come of it.

`docs/hostile.md` lists the header lines. Nothing of an attempt is run here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.inside import landlock

HERE = Path(__file__).parent
EXERCISES = HERE / "data"
# Which checks each exercise has, in order.
CHECKS = {"pooling": 4, "layers": 3, "telling": 2, "looking": 2}
KINDS = (
    "forging the result",
    "fooling the comparison",
    "reading what is hidden",
    "loading and files",
    "resources",
    "getting out",
    "neighbours",
    "documents",
)
SAME_EVERYWHERE = ("forging the result", "fooling the comparison")
_HEADER = re.compile(r"# (kind|exercise|(?:\w+ )?(?:verdicts|says)|points|status|undefended|slow): ?(.*)")
# Backends that say that they cannot defend from something, and whether they cannot here.
WITHOUT_LANDLOCK = "user without Landlock"
UNDEFENDED = {
    "bubblewrap": True,
    "docker": True,
    "user": True,
    WITHOUT_LANDLOCK: landlock.version() < 1,
    "bubblewrap without root": os.geteuid() != 0,
    "docker without root": os.geteuid() != 0,
}


@dataclass(frozen=True)
class Attempt:
    """One file of the corpus. A word of `verdicts` may be several with | between, where luck decides."""

    path: Path
    tries: str
    kind: str
    exercise: str = "pooling"
    status: str = "graded"
    verdicts: tuple[str, ...] = ()
    points: float | None = None
    says: tuple[str, ...] = ()  # each message of the report; … stands for any text
    undefended: tuple[str, ...] = ()  # backends that say so
    slow: bool = False
    others: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    def __str__(self) -> str:
        return self.name

    def on(self, backend: str) -> Attempt:
        """What must come of it on a backend, which may have verdicts and words of its own."""
        verdicts, says = self.others.get(backend, ((), ()))
        return replace(self, verdicts=verdicts or self.verdicts, says=says or self.says)

    def is_defended(self, backend: str) -> bool:
        """Whether the backend claims to hold against it, on this machine."""
        said = (one for one in self.undefended if one.split()[0] == backend)
        return not any(UNDEFENDED[one] for one in said)


def attempts(folder: str) -> tuple[Attempt, ...]:
    """Every attempt of one folder of the corpus, by name. Raises ValueError for a header that is none."""
    return tuple(read(path) for path in sorted((HERE / folder).glob("*.py")))


def on_backends(folder: str, backends: Sequence[str], every: bool) -> list[tuple[str, Attempt]]:
    """Which attempt runs on which backend: what one says that it cannot defend is left out there.

    The first backend has all of them. Forging answers, fooling comparisons and handing in odd files meet
    the same code whatever the backend, so the others have these only where `every` is asked for.
    """
    return [
        (backend, attempt)
        for backend in backends
        for attempt in attempts(folder)
        if attempt.is_defended(backend)
        and (backend == backends[0] or every or (folder == "code" and attempt.kind not in SAME_EVERYWHERE))
    ]


def read(path: Path) -> Attempt:
    """The attempt in a file."""
    first, *rest = path.read_text("utf-8").splitlines()
    if not re.fullmatch(r"# [A-Z].{15,}\.", first):
        raise ValueError(f"{path}: the first line must say in a sentence what it tries: {first!r}")
    found: dict[str, list[str]] = {}
    for line in rest:
        match = _HEADER.fullmatch(line)
        if match is None:
            break
        found.setdefault(match[1], []).append(match[2])
    if found.get("kind", [""])[0] not in KINDS:
        raise ValueError(f"{path}: '# kind:' must be one of {', '.join(KINDS)}")
    exercise = found.get("exercise", ["pooling"])[0]
    points = found.get("points")
    return Attempt(
        path,
        first.removeprefix("# "),
        found["kind"][0],
        exercise,
        found.get("status", ["graded"])[0],
        _verdicts(found, "verdicts", CHECKS[exercise]),
        float(points[0]) if points else None,
        tuple(found.get("says", ())),
        tuple(found.get("undefended", ())),
        "slow" in found,
        {
            backend: (
                _verdicts(found, f"{backend} verdicts", CHECKS[exercise]),
                tuple(found.get(f"{backend} says", ())),
            )
            for backend in {name.split()[0] for name in found if " " in name}
        },
    )


def _verdicts(found: Mapping[str, list[str]], line: str, count: int) -> tuple[str, ...]:
    """One word for each check: a single `passed` is of all, another of the first, which the others need."""
    words = found.get(line, [""])[0].split()
    if len(words) != 1:
        return tuple(words)
    return tuple(words * count if words[0] == "passed" else [words[0], *["skipped"] * (count - 1)])


def matches(pattern: str, text: str) -> bool:
    """Whether a text is what a `# says:` line has: … stands for any text, || between what luck decides."""
    return any(
        re.fullmatch(".*".join(map(re.escape, one.split("…"))), text, re.DOTALL) is not None
        for one in pattern.split(" || ")
    )
