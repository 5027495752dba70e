# Waits for a lock that its own child holds for a moment.
import fcntl
import os
import time


def f():
    read, write = os.pipe()
    if os.fork() == 0:
        theirs = open("lock", "w")
        fcntl.flock(theirs, fcntl.LOCK_EX)
        os.write(write, b"x")
        time.sleep(0.1)
        with open("done", "w") as file:
            file.write("x")
        os._exit(0)
    os.read(read, 1)
    with open("lock") as ours:
        fcntl.flock(ours, fcntl.LOCK_SH)
    return os.path.exists("done")
