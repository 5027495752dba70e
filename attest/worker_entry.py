"""What can be asked of `attest worker`, and of `attest grade` about workers.

It must start at once: nothing but typer is imported here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from attest.entry import Device, Isolation, IsolationOption, RuntimeOption, SandboxOption


class Engine(StrEnum):
    """Where a cohort's jobs run."""

    LOCAL = "local"
    CELERY = "celery"


class Queue(StrEnum):
    """Which submissions a worker takes."""

    CPU = "cpu"
    GPU = "gpu"


BrokerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="ATTEST_BROKER",
        show_envvar=False,
        help="The Redis or RabbitMQ of the workers, such as redis://host:6379/0 (default: ATTEST_BROKER).",
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="ATTEST_STORE",
        show_envvar=False,
        help="Where what is large for the broker lies, such as s3://bucket/attest (default: ATTEST_STORE).",
    ),
]


def worker(  # noqa: PLR0917 - typer calls it by name
    broker: BrokerOption = None,
    queue: Annotated[
        Queue, typer.Option(help="Which submissions to take: those of --device cpu, or of --device cuda.")
    ] = Queue.CPU,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="How many to grade at once.")] = 1,
    store: StoreOption = None,
    sandbox: SandboxOption = "bubblewrap",
    isolation: IsolationOption = Isolation.GUEST,
    runtime: RuntimeOption = None,
    check_only: Annotated[
        bool, typer.Option("--check", help="Try broker, store and sandbox, say what was found, and end.")
    ] = False,
) -> None:
    """Grade for `attest grade --engine celery` on any machine, until SIGTERM or Ctrl-C.

    What it has in hand is finished first. Exit status: 0 it has ended as told, 2 it cannot work.
    """
    from attest.worker import WorkerRequest, worker_command

    device = Device.CUDA if queue is Queue.GPU else Device.CPU
    raise typer.Exit(
        worker_command(
            WorkerRequest(broker, store, device, sandbox, isolation, runtime, jobs, check=check_only)
        )
    )
