# Never returns: a stopped child that it waits for.
import os
import signal


def attempt():
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(pid, 0)
