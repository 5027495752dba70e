# Holds pipes as large as they can be, until its user may have no more pages in them, so that its neighbours' pipes are small.
# kind: neighbours
# undefended: bubblewrap without root
# undefended: docker without root
# verdicts: passed
import contextlib
import fcntl
import os
import time

pipes = []
for _ in range(8):
    if os.fork() == 0:
        try:
            while True:
                pipes.append(os.pipe())
                with contextlib.suppress(PermissionError):
                    fcntl.fcntl(pipes[-1][0], fcntl.F_SETPIPE_SZ, 2**20)
        except OSError:
            time.sleep(3600)
time.sleep(0.3)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
