# Takes the name of a neighbour's abstract socket, and learns so that the neighbour has it.
# kind: neighbours
# undefended: user
# verdicts: passed
import socket

gained = []
listener = socket.socket(socket.AF_UNIX)
try:
    listener.bind("\0attest-canary")
except OSError:
    gained.append("the name is taken, so the neighbour is seen")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
