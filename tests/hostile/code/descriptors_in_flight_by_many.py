# Sends descriptors from many processes in one moment, beyond what one alone may have on their way, so that its zygote can send none.
# kind: neighbours
# undefended: bubblewrap without root
# undefended: docker without root
# verdicts: passed
import array
import os
import socket
import time

# Whoever looks before another has sent may send too: so there are more on their way than the limit allows.
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [pair[0].fileno()] * 253))]
start = time.monotonic() + 0.15
for _ in range(24):
    if os.fork() == 0:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        while time.monotonic() < start:
            pass
        try:
            ours.sendmsg([b"x"], rights)
        except OSError:
            pass
        time.sleep(3600)
time.sleep(0.4)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
