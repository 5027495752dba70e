# Arms as many timers as its user may have and keeps them, so that its neighbours can have none.
# kind: neighbours
# undefended: bubblewrap without root
# undefended: docker without root
# verdicts: passed
import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
timers = []
for _ in range(100_000):
    timer = ctypes.c_void_p()
    if libc.timer_create(1, None, ctypes.byref(timer)) != 0:
        break
    timers.append(timer)
time.sleep(0.3)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
