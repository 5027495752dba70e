# Starts threads without end.
# kind: resources
# verdicts: error
# says: RuntimeError: can't start new thread
import threading
import time


def pool(hidden, padding):
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
