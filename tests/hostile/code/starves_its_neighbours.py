# Takes every processor for itself: by threads, affinity and priority, while neighbours work.
# kind: neighbours
# verdicts: timeout|crashed|memory
# says: Your code was stopped: it had not finished after 1 seconds. || The process that ran your code ended itself with exit status 1. || RuntimeError: …can't allocate memory…
import os
import threading

import torch


def pool(hidden, padding):
    try:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except OSError:
        pass
    torch.set_num_threads(8)
    for _ in range(4):
        threading.Thread(target=lambda: [torch.rand(400, 400) @ torch.rand(400, 400) for _ in range(10**9)], daemon=True).start()
    while True:
        torch.rand(400, 400) @ torch.rand(400, 400)
