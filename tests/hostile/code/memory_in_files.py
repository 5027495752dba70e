# Takes memory in /dev/shm, its folder for temporary files and its own, which may be memory too.
# kind: resources
# verdicts: passed
# user verdicts: crashed
# user says: The process that ran your code was stopped: it wrote more files than it may.
import os
import tempfile
import time


def pool(hidden, padding):
    written = 0
    for folder in ("/dev/shm", tempfile.gettempdir(), os.getcwd()):
        for number in range(100):
            try:
                with open(f"{folder}/{number}", "wb") as file:
                    for _ in range(4):
                        written += file.write(b"x" * 2**20)
                        file.flush()
            except OSError:
                break
    if written >= 32 * 2**20:  # where a watch ends what writes too much, it has to see it
        time.sleep(5)
    assert written < 32 * 2**20, written
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
