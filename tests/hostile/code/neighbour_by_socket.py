# Connects to a neighbour's abstract socket, and listens where the neighbour might connect.
# kind: neighbours
# undefended: user
# verdicts: passed
import socket

gained = []
try:
    socket.socket(socket.AF_UNIX).connect("\0attest-canary")
    gained.append("connected")
except OSError:
    pass
listener = socket.socket(socket.AF_UNIX)
try:
    listener.bind("\0attest-canary")
except OSError:
    gained.append("the name is taken, so the neighbour is seen")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
