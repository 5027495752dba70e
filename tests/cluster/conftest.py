"""A real Redis, real workers, and the real command; everything below one folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis

from tests.attest.conftest import attest_command
from tests.attest.processes import children, runs, wait_for

__all__ = ["attest_command"]

KEY = "a key that only the tests know"
DATABASES = 256  # of one broker: one for each test


@dataclass
class Broker:
    """A Redis on a free port, without a disk."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin, empty."""
        program = shutil.which("redis-server")
        assert program is not None
        options = {
            "--port": self.port,
            "--bind": "127.0.0.1",
            "--dir": self.folder,
            "--save": "",
            "--databases": DATABASES,
            "--loglevel": "warning",
        }
        self.process = subprocess.Popen(
            [program, *(str(part) for option in options.items() for part in option)],
            stdout=subprocess.DEVNULL,
        )
        wait_for(self.answers, 20)

    def answers(self) -> bool:
        """Whether it can be reached."""
        try:
            return bool(self.database(0).ping())
        except redis.exceptions.RedisError:
            return False

    def stop(self) -> None:
        """End, and forget everything."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def database(self, number: int, password: str | None = None) -> redis.Redis:
        """Look into one of its databases."""
        return redis.Redis("127.0.0.1", self.port, number, password)


@dataclass
class RunningWorker:
    """An `attest worker`, and what it has said."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text()

    def seats(self) -> list[int]:
        """The processes that grade for it."""
        return [pid for pid in children(self.process.pid) if runs(pid, "graders.cluster.seat")]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """SIGTERM, and the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@dataclass
class Cluster:
    """A broker's database that one test has for itself, and what runs with it."""

    broker: Broker
    number: int
    folder: Path
    program: list[str]
    workers: list[RunningWorker] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.broker.port}/{self.number}"

    @property
    def database(self) -> redis.Redis:
        return self.broker.database(self.number)

    def environment(self, **more: str) -> dict[str, str]:
        """What workers and command are told."""
        return os.environ | {"ATTEST_BROKER": self.url, "ATTEST_CLUSTER_KEY": KEY, "COLUMNS": "160"} | more

    def worker(self, *options: str, ready: bool = True, **environment: str) -> RunningWorker:
        """Start a worker; return when it waits for submissions."""
        log = self.folder / f"worker{len(self.workers)}.log"
        with log.open("wb") as said:
            process = subprocess.Popen(
                [*self.program, "worker", *options],
                env=self.environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        worker = RunningWorker(process, log)
        self.workers.append(worker)
        if ready:
            wait_for(lambda: "waits for submissions" in worker.said or process.poll() is not None, 120)
            assert process.poll() is None, worker.said
        return worker

    def start(self, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
        """`attest grade --engine celery`, begun; what it says goes into a file."""
        return self.begin("grade", *arguments, "--engine", "celery", **environment)

    def begin(self, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
        """Any command, begun."""
        self.said = self.folder / "said"
        with self.said.open("w") as said:
            return subprocess.Popen(
                [*self.program, *map(str, arguments)],
                env=self.environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                text=True,
            )

    def run(self, *arguments: str | Path, **environment: str) -> tuple[int, str]:
        """`attest grade --engine celery` to its end: the exit status, and what it said."""
        process = self.start(*arguments, **environment)
        try:
            return process.wait(180), self.said.read_text()
        finally:
            process.kill()

    def held(self) -> int:
        """How many submissions workers have had in hand for a quarter of a second."""
        before = set(self.database.hkeys("attest.unacked.jobs"))
        time.sleep(0.25)
        return len(before & set(self.database.hkeys("attest.unacked.jobs")))

    def left_over(self) -> list[bytes]:
        """What a run leaves in the broker and should not: everything but what Celery's queues are called."""
        return [key for key in self.database.keys("*") if not key.startswith(b"_kombu.")]

    def close(self) -> None:
        for worker in self.workers:
            worker.process.kill()
            worker.process.wait()


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    broker = Broker(tmp_path_factory.mktemp("redis"), port)
    broker.start()
    yield broker
    broker.stop()


_numbers = iter(range(DATABASES))


@pytest.fixture
def cluster(broker: Broker, attest_command: list[str], tmp_path: Path) -> Iterator[Cluster]:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(broker, next(_numbers), folder, attest_command)
    yield cluster
    cluster.close()


def keep_killing(find: Callable[[], list[int]], enough: Callable[[], bool]) -> int:
    """kill -9 whatever `find` finds until it is `enough`; return how many there were."""
    killed: set[int] = set()
    end = time.monotonic() + 120
    while not enough():
        assert time.monotonic() < end
        for pid in find():
            if pid not in killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return len(killed)
