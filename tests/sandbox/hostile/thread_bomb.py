# Starts threads without end.
import threading
import time


def attempt():
    started = 0
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        started += 1
