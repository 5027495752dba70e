# Makes pipes, timers, watches of events and pairs of sockets as long as the kernel gives any, in many processes.
# kind: resources
# verdicts: passed
import ctypes
import os
import select
import socket
import time

libc = ctypes.CDLL(None, use_errno=True)
made = 0
children = []
for _ in range(12):
    pid = os.fork()
    if pid:
        children.append(pid)
        continue
    kept = []
    try:
        for _ in range(10_000):
            timer = ctypes.c_void_p()
            if libc.timer_create(1, None, ctypes.byref(timer)) != 0:
                break
        for _ in range(20):
            kept.append(select.epoll())
            kept.append(socket.socketpair())
            ends = os.pipe()
            libc.fcntl(ends[1], 1031, 2**20)  # F_SETPIPE_SZ
            kept[-2].register(ends[0], select.EPOLLIN)
            for poll in kept[::2]:
                poll.register(kept[-1][0], select.EPOLLIN)
    except OSError:
        pass
    time.sleep(0.2)
    os._exit(0)
for pid in children:
    os.waitpid(pid, 0)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
