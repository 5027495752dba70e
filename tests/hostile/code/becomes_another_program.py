# Keeps the wire open over an exec, and lets a program without Attest's code in it answer what comes.
# kind: forging the result
# verdicts: crashed|timeout
# says: …
import os
import sys

ANSWERS = """
import os, struct
while True:
    frame = os.read(3, 65536)
    if not frame:
        break
    os.write(3, frame)
    os.write(3, b"\\x00" * 64)
"""


def pool(hidden, padding):
    os.set_inheritable(3, True)
    os.execv(sys.executable, [sys.executable, "-S", "-c", ANSWERS])
