"""`python -m benchmarks.backends`: the docker backend beside bubblewrap, in one run, as a ratio.

Both grade the same submissions in turns, so that what else the machine does strikes both alike. Prints the
start of a zygote, milliseconds per submission, and seconds per submission where each has a container of its
own. Exit status: 0 both bars are met, 1 one is not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import torch

from graders.assignment import Assignment, read_assignment
from graders.result import Result, Status, Student
from graders.session import GradingSession, Job
from sandbox import BackendOptions, Sandbox

HERE = Path(__file__).resolve().parent
GUEST_BAR = 1.3  # docker over bubblewrap
CONTAINER_BAR = 1.2  # seconds per submission


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.backends")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    assignment = read_assignment(HERE / "assignment")
    submissions = sorted((HERE / "submissions").glob("*.py"))
    print(f"{len(submissions)} submissions, {arguments.rounds} rounds, load {os.getloadavg()[0]:.1f}")
    with Sandbox("bubblewrap") as near, Sandbox("docker") as docker:
        for sandbox in (near, docker):
            began = time.perf_counter()
            sandbox.start()
            print(f"{sandbox.backend:12} zygote started in {time.perf_counter() - began:.2f} s")
        rounds: dict[str, list[float]] = {near.backend: [], docker.backend: []}
        for number in range(arguments.rounds + 1):
            for sandbox in (near, docker) if number % 2 else (docker, near):
                seconds = grade(assignment, sandbox, [submissions[0], *submissions])
                if number:  # the first round warms up
                    rounds[sandbox.backend].append(mean(seconds))
    for name, seconds in rounds.items():
        print(f"{name:12} {1000 * median(seconds):7.1f} ms per submission")
    ratio = median(d / b for d, b in zip(rounds["docker"], rounds["bubblewrap"], strict=True))
    print(f"{'ratio':12} {ratio:7.2f}    at most {GUEST_BAR}")
    each = containers(assignment, submissions * 2, arguments.workers)
    print(
        f"{'container':12} {each:7.2f} s per submission, at most {CONTAINER_BAR}; {arguments.workers} workers"
    )
    return 0 if ratio <= GUEST_BAR and each <= CONTAINER_BAR else 1


def grade(assignment: Assignment, sandbox: Sandbox, submissions: list[Path]) -> list[float]:
    """Return the seconds from each result to the next."""
    moments: list[float] = []

    def sink(result: Result) -> None:
        if result.status is not Status.GRADED:
            raise RuntimeError(f"{result.student.id} was not graded: {result.internal}")
        moments.append(time.perf_counter())

    jobs = [Job(Student(id=path.stem), path) for path in submissions]
    GradingSession(assignment, sandbox, 1).run(jobs, sink)
    return [after - before for before, after in pairwise(moments)]


def containers(assignment: Assignment, submissions: list[Path], workers: int) -> float:
    """Return the seconds per submission of a cohort, with a container for each."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    with Sandbox("docker", options=BackendOptions(isolation="container")) as sandbox:
        sandbox.start()
        each = [submissions[number::workers] for number in range(workers)]
        began = time.perf_counter()
        processes = [
            context.Process(target=_graded_in_containers, args=(assignment, sandbox.attach(), share))
            for share in each
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            if process.exitcode:
                raise RuntimeError(f"a worker ended with exit status {process.exitcode}")
        return (time.perf_counter() - began) / len(submissions)


def _graded_in_containers(assignment: Assignment, sandbox: Sandbox, submissions: list[Path]) -> None:
    with sandbox:
        grade(assignment, sandbox, submissions)


if __name__ == "__main__":
    sys.exit(main())
