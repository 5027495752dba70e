"""The same submissions under several seeds, side by side: each seed in a process forked from this one.

Whoever calls has imported torch already, so a fork costs next to nothing; the zygote is shared.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from graders.assignment import AssignmentError
from graders.cohort import usable_cores
from graders.result import COMPUTED, Result
from graders.workers import die_with_parent
from sandbox import Sandbox

Grade = Callable[[Sandbox, int, Callable[[Result], None]], None]  # under one seed, telling of each Result
WRONG_ASSIGNMENT, WRONG = b"a", b"w"  # the first byte of a message that is no Result


def under_seeds(grade: Grade, sandbox: Sandbox, seeds: Sequence[int]) -> Iterator[tuple[Result, ...]]:
    """Yield what each submission got under every seed, in the order of the submissions.

    `grade` runs in forked processes, as many at once as there are cores, and grades the same submissions in
    the same order under every seed. Raises AssignmentError where it does.
    """
    most = usable_cores()
    waves = [_side_by_side(grade, sandbox, seeds[at : at + most]) for at in range(0, len(seeds), most)]
    *earlier, last = waves
    known = [list(wave) for wave in earlier]
    for index, results in enumerate(last):
        yield tuple(result for wave in known for result in wave[index]) + results


def _side_by_side(grade: Grade, sandbox: Sandbox, seeds: Sequence[int]) -> Iterator[tuple[Result, ...]]:
    context = get_context("fork")
    ends: list[Connection] = []
    processes = []
    arrived: dict[Connection, list[Result]] = {}
    try:
        for seed in seeds:
            mine, theirs = context.Pipe(duplex=False)
            ends.append(mine)
            arrived[mine] = []
            with sandbox.attach() as own:
                given = {
                    "others": list(ends),
                    "grade": grade,
                    "sandbox": own,
                    "seed": seed,
                    "parent": os.getpid(),
                }
                process = context.Process(target=_one, args=(theirs,), kwargs=given)
                process.start()
            processes.append(process)
            theirs.close()
        yielded, open_ends = 0, list(ends)
        while open_ends:
            for end in wait(open_ends):
                assert isinstance(end, Connection)
                try:
                    arrived[end].append(_received(end))
                except EOFError:
                    open_ends.remove(end)
            while all(len(results) > yielded for results in arrived.values()):
                yield tuple(arrived[end][yielded] for end in ends)
                yielded += 1
        if any(len(results) > yielded for results in arrived.values()):
            raise RuntimeError("a process that graded under one of the seeds has died; try again")
    finally:
        for process in processes:
            process.kill()
            process.join()
        for end in ends:
            end.close()


def _received(end: Connection) -> Result:
    """Return the next Result. Raises EOFError at the end, and what the process says went wrong."""
    message = end.recv_bytes()
    if message[:1] == WRONG_ASSIGNMENT:
        raise AssignmentError(message[1:].decode())
    if message[:1] == WRONG:
        raise RuntimeError(message[1:].decode())
    return Result.model_validate_json(message)


def _one(
    end: Connection, *, others: list[Connection], grade: Grade, sandbox: Sandbox, seed: int, parent: int
) -> None:
    """Be the process of one seed."""
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends this process
    for other in others:
        other.close()

    def tell(result: Result) -> None:
        end.send_bytes(result.model_dump_json(exclude=COMPUTED).encode())

    try:
        with sandbox:
            grade(sandbox, seed, tell)
    except AssignmentError as error:
        end.send_bytes(WRONG_ASSIGNMENT + str(error).encode())
    except Exception:
        end.send_bytes(WRONG + traceback.format_exc().encode())
