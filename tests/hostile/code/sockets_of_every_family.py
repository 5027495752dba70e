# Opens a socket of every family, from netlink to vsock, raw ones too.
# kind: getting out
# verdicts: passed
import socket

gained = []
for family in range(46):
    if family == socket.AF_UNIX:
        continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind)
            gained.append((family, int(kind)))
        except OSError:
            pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
