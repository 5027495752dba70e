# Never returns: stops itself and a child that it waits for.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import os
import signal


def pool(hidden, padding):
    os.kill(os.getpid(), signal.SIGSTOP)
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(pid, 0)
