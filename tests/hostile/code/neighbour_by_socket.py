# Connects to a neighbour's sockets, with a name and without, and to those of its file descriptors.
# kind: neighbours
# verdicts: passed
import socket

gained = []
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    for name in ("\0attest-canary", "/dev/shm/canary-socket", "/tmp/canary-socket", "/work/canary-socket"):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(name)
            gained.append(name)
        except OSError:
            pass
        try:
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", name)
            gained.append(name)
        except OSError:
            pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
