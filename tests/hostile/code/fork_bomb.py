# Forks without end.
# kind: resources
# verdicts: timeout|crashed|memory
# says: …
import os


def pool(hidden, padding):
    while True:
        try:
            os.fork()
        except OSError:
            pass
