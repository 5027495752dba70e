# Writes one file without end, and lengthens another without writing it.
# kind: resources
# verdicts: passed
import os
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def pool(hidden, padding):
    written = 0
    try:
        with open("large", "wb", buffering=0) as file:
            while True:
                written += file.write(b"x" * 2**20)
    except OSError:
        pass
    try:
        os.truncate("large", 2**40)
        written = 2**40
    except OSError:
        pass
    os.unlink("large")
    assert written <= 8 * 2**20, written
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
