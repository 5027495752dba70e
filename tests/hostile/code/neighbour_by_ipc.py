# Looks for a neighbour's shared segments, semaphores, message queues and keys.
# kind: neighbours
# verdicts: passed
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
gained = []
for name, call in (
    ("shm", lambda: libc.shmget(0x617474, 4096, 0o666)),
    ("new shm", lambda: libc.shmget(0x617475, 4096, 0o1666)),
    ("sem", lambda: libc.semget(0x617474, 1, 0o1666)),
    ("msg", lambda: libc.msgget(0x617474, 0o1666)),
    ("keyring", lambda: libc.syscall(250, 0, -4, 0)),
    ("add key", lambda: libc.syscall(248, b"user", b"attest", b"x", 1, -4)),
    ("mq", lambda: libc.mq_open(b"/attest", 0o102, 0o666, None)),
):
    if call() >= 0:
        gained.append(name)


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
