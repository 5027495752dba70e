# Keeps as many descriptors on their way between its own sockets as its user may have, so that its neighbours can send none.
# kind: neighbours
# undefended: bubblewrap without root
# undefended: docker without root
# verdicts: passed
import array
import os
import socket
import time

kept = []
sent = 0
try:
    while sent < 5_000:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        kept.append(pair)
        for _ in range(8):
            pair[0].setblocking(False)
            pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))])
            sent += 250
except OSError:
    pass
time.sleep(0.3)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
