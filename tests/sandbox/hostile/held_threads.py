# Calls what it was handed from eight threads at once, and from a forked child, and from a signal's handler.
import os
import signal
import threading
import time


def threads(model, x):
    found = []
    started = [threading.Thread(target=lambda: found.extend(model(x + i) - x for i in range(20))) for _ in range(8)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return len(found), model(x)


def leaves_threads_calling(model, x):
    def call():
        while True:
            model(x)

    for _ in range(4):
        threading.Thread(target=call, daemon=True).start()
    time.sleep(0.05)
    return "answered"


def fork(model, x):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            model(x)
            os.write(write, b"reached")
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    return os.read(read, 200).decode(), model(x)


def handler(model, x):
    said = []

    def call(*_):
        try:
            said.append(model(x))
        except RuntimeError as error:
            said.append(str(error))

    signal.signal(signal.SIGALRM, call)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    for _ in range(100):
        model(x)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return sorted({one for one in said if isinstance(one, str)}), model(x)


def interrupted(model, x):
    def stop(*_):
        raise TimeoutError("too slow")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        model.slowly(x)
    except TimeoutError as error:
        return str(error), model(x)
