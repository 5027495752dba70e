# Ends its first thread, with which /proc stops telling its memory, and takes all the memory there is from another.
# kind: resources
# verdicts: memory|timeout
# says: Your code was stopped: it used more than 192 MiB of memory. || Your code was stopped: it had not finished after 1 seconds.
import ctypes
import mmap
import platform
import threading

EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]


def take():
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 2**24))
        kept[-1].write(b"x" * 2**24)


def pool(hidden, padding):
    threading.Thread(target=take).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
