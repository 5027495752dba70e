"""What `attest grade` was asked for, and the command that asks for the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attest.entry import Confined, Device, Isolation
from attest.intake import IntakeOptions
from attest.terminal import quoted
from graders.cluster.broker import check_url
from graders.cluster.envelope import ClusterError, read_key
from graders.cohort import usable_cores
from graders.messages import Cluster
from graders.output import Mode


@dataclass(frozen=True)
class GradeRequest:
    """What was asked on the command line."""

    assignment: str
    paths: tuple[Path, ...]
    out: Path
    jobs: int | None
    confined: Confined
    seed: int | None
    resume: bool
    force: bool
    intake: IntakeOptions = IntakeOptions()  # noqa: RUF009 - frozen
    celery: bool = False  # the engine
    broker: str | None = None
    store: str | None = None

    @property
    def mode(self) -> Mode:
        """What to do with an earlier run in OUT."""
        return "replace" if self.force else "resume"

    @property
    def command(self) -> str:
        """The command that asks for the same; a run in OUT is gone on with."""
        own, confined = self.intake, self.confined
        options: dict[str, Path | str | int | None] = {
            "-o": self.out,
            "-j": self.jobs,
            "--from": own.source,
            "--roster": own.roster,
            "--attempts": None if own.attempts == "last" else own.attempts,
            "--due": own.due,
            "--late": own.late,
            "--sandbox": None if confined.backend == "bubblewrap" else confined.backend,
            "--isolation": None if confined.isolation is Isolation.GUEST else confined.isolation.value,
            "--runtime": confined.runtime,
            "--engine": "celery" if self.celery else None,
            "--store": self.store if self.celery else None,
            "--device": None if confined.device is Device.CPU else confined.device.value,
        }
        words = [self.assignment, *map(str, self.paths)]
        for name, value in options.items():
            words += [] if value is None else [name, str(value)]
        trust = " --i-trust-this-code" if confined.trust else ""
        return f"attest grade {' '.join(map(quoted, words))}{trust}"


def cluster_of(request: GradeRequest) -> Cluster | None:
    """Return where the workers are found, None for those of this machine. Raises ClusterError."""
    if not request.celery:
        return None
    if request.confined.backend == "none":
        raise ClusterError(
            "--sandbox none is not for workers: nothing would be kept from the code there. "
            "Use bubblewrap, docker or user, as the workers do."
        )
    read_key()
    return Cluster(check_url(request.broker), request.store, request.mode == "resume")


def at_once(request: GradeRequest, cluster: Cluster | None, todo: int) -> int:
    """Return how many submissions are graded, or handed out to workers, at the same time."""
    return max(1, min(request.jobs or (todo if cluster else usable_cores()), todo))
