# Never returns: sleeps, with every signal blocked.
import signal
import time


def attempt():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
    while True:
        time.sleep(3600)
