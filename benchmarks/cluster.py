"""`python -m benchmarks.cluster`: a run on two of Celery's workers beside the local pool with two processes.

Both grade the same submissions on this machine, by turns; what counts is the time from the first one handed
out to the last Result on the disk. Needs redis-server.

Exit status: 0 the bar is met, 1 it is not, 2 wrong use.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.attest_side import FINISH
from graders.assignment import Assignment, read_assignment
from graders.cohort import CohortRun, Request
from graders.messages import Cluster
from graders.output import Output
from graders.reading import Found, find_submissions
from graders.result import Status
from reports import report_name

HERE = Path(__file__).resolve().parent
BAR = 1.3  # at most so many times the local pool's time
WORKERS = 2


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--copies", type=int, default=25, help="of each of the eight submissions")
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    assignment = read_assignment(HERE / "assignment")
    with tempfile.TemporaryDirectory(prefix="attest-bench-") as name, redis(Path(name)) as broker:
        folder = Path(name)
        found = _cohort(assignment, folder / "cohort", arguments.copies)
        print(f"{len(found)} submissions, {WORKERS} at a time, load {os.getloadavg()[0]:.1f}")
        with workers(broker, folder):
            cluster = Cluster(broker, None, resume=False)
            measure(assignment, found[: 4 * WORKERS], cluster, folder / "warm")
            ratios = []
            for turn in range(arguments.turns):
                local = measure(assignment, found, None, folder / f"local{turn}")
                celery = measure(assignment, found, cluster, folder / f"celery{turn}")
                ratios.append(celery / local)
                each = 1000 / len(found)
                print(f"ms per submission: local {local * each:6.1f}, celery {celery * each:6.1f}", end="")
                print(f", ratio {ratios[-1]:.2f}")
    middle = median(ratios)
    print(f"{'met ' if middle <= BAR else 'MISSED'}  median ratio {middle:.2f}, at most {BAR}")
    return 0 if middle <= BAR else 1


def _cohort(assignment: Assignment, folder: Path, copies: int) -> tuple[Found, ...]:
    folder.mkdir()
    for path in sorted((HERE / "submissions").glob("*.py")):
        for copy in range(copies):
            shutil.copy(path, folder / f"{copy:03}-{path.name}")
    return find_submissions([folder], assignment.files).found


def measure(assignment: Assignment, found: tuple[Found, ...], cluster: Cluster | None, out: Path) -> float:
    """Grade, with reports; return the seconds from the first submission handed out to the end."""
    jobs = len(found) if cluster else WORKERS
    request = Request(assignment, found, secrets.randbits(53), jobs, finish=FINISH, cluster=cluster)
    began = 0.0
    with Output(out, "new", report_name) as opened, CohortRun(request, opened) as running:
        for progress in running:
            if running.begun and not began:
                began = time.perf_counter()
            if progress.result is not None and progress.result.status is not Status.GRADED:
                raise RuntimeError(f"not graded: {progress.result.internal}")
    return time.perf_counter() - began


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a Redis without a disk; yield its URL."""
    program = shutil.which("redis-server")
    if program is None:
        print("redis-server is needed (apt-get install redis-server)", file=sys.stderr)
        raise SystemExit(2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def workers(broker: str, folder: Path) -> Iterator[None]:
    """Run two workers."""
    program = "from attest.main import main; main()"
    command = [sys.executable, "-P", "-c", program, "worker", "--broker", broker]
    logs = [folder / f"worker{number}.log" for number in range(WORKERS)]
    started = []
    try:
        for log in logs:
            with log.open("wb") as said:
                started.append(subprocess.Popen(command, stdout=said, stderr=said))
        while not all("waits for submissions" in log.read_text() for log in logs):
            ended = [
                log.read_text() for log, one in zip(logs, started, strict=True) if one.poll() is not None
            ]
            if ended:
                raise RuntimeError(ended[0])
            time.sleep(0.1)
        yield
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait()


if __name__ == "__main__":
    sys.exit(main())
