# Ends its first thread, so that /proc shows it as dead, and goes on answering from another.
# kind: forging the result
# verdicts: failed|crashed
# says: Wrong values in the output: … || …sent something that is not an answer… || …stopped… || …ended…
import ctypes
import platform
import sys
import threading

EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]
serving = sys.modules["inside.serving"]
wire = sys.modules["inside.wire"]


def go_on(frame):
    # The loop that answers, from here on in this thread.
    while frame is not None and frame.f_code.co_name != "serve":
        frame = frame.f_back
    serving.serve(next(value for value in frame.f_locals.values() if type(value).__name__ in ("socket", "Wire")))


def pool(hidden, padding):
    threading.Thread(target=go_on, args=(sys._getframe(),)).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
