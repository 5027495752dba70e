# Never returns: sleeps, with every signal blocked, in every thread.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import signal
import threading
import time


def pool(hidden, padding):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
    threading.Thread(target=time.sleep, args=(3600,)).start()
    while True:
        time.sleep(3600)
