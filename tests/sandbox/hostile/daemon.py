# Leaves daemons behind: new sessions, orphaned, deaf to every signal that can be ignored, writing to the wire.
import os
import signal
import time


def attempt():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(1, 64):
                    try:
                        signal.signal(number, signal.SIG_IGN)
                    except (OSError, ValueError):
                        pass
                while True:
                    time.sleep(0.05)
            os._exit(0)
        os.wait()
    return "left"
