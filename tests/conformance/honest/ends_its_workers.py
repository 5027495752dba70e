# Ends workers that wait, by SIGTERM; every signal is answered as Python answers it at the start.
import multiprocessing
import signal
import time

USUAL = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGPIPE: signal.SIG_IGN,
    signal.SIGXFSZ: signal.SIG_IGN,
}


def wait(lock):
    with lock:
        time.sleep(600)


def f():
    strange = {
        one
        for one in signal.Signals
        if one not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM)  # which ends what loads for too long
        and signal.getsignal(one) != USUAL.get(one, signal.SIG_DFL)
    }
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    lock = multiprocessing.Lock()
    with lock:
        workers = [multiprocessing.Process(target=wait, args=(lock,)) for _ in range(4)]
        for one in workers:
            one.start()
        for one in workers:
            one.terminate()
            one.join()
    return not strange and not held and all(one.exitcode == -signal.SIGTERM for one in workers)
