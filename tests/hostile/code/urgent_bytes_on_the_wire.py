# Sends urgent bytes on the wire, out of band, which no reader of frames expects.
# kind: forging the result
# verdicts: passed
import os
import socket

gained = []
wire = socket.socket(fileno=os.dup(3))
try:
    wire.send(b"!", socket.MSG_OOB)
    gained.append("send")
except OSError:
    pass
try:
    wire.sendmsg([b"!"], [], socket.MSG_OOB)
    gained.append("sendmsg")
except OSError:
    pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
