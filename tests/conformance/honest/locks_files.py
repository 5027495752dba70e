# Takes locks on a file of its own, of every kind that Python knows, and keeps another process out.
import fcntl
import os


def f():
    ours = open("lock", "w")
    for lock in (fcntl.flock, fcntl.lockf):
        lock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        pid = os.fork()
        if pid == 0:
            try:
                lock(open("lock", "w"), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os._exit(7)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 7:
            return f"{lock.__name__} keeps nobody out"
        lock(ours, fcntl.LOCK_UN)
    return True
