# Changes the priority, the processors and the limits of everybody else: by process, by group, by user.
# kind: neighbours
# verdicts: passed
import os
import resource

gained = []
for pid in {*range(1, 3000), os.getppid()} - {os.getpid(), 0}:
    for act in (
        lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda pid: os.setpriority(os.PRIO_PGRP, pid, 19),
        lambda pid: os.sched_setaffinity(pid, {0}),
        lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (8, 8)),
        lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
    ):
        try:
            act(pid)
            gained.append(pid)
        except OSError:
            pass
for user in {1, 1000, 65534} - {os.getuid()}:
    try:
        os.setpriority(os.PRIO_USER, user, 19)
        gained.append(f"user {user}")
    except OSError:
        pass
os.setpriority(os.PRIO_USER, os.getuid(), 15)  # its own, and of its neighbours those that it can see: none


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
