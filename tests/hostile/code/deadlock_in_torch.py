# Never returns: forks in the middle of torch's threads and waits for a lock that nobody holds any more.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import threading

import torch

lock = threading.Lock()


def pool(hidden, padding):
    torch.set_num_threads(2)
    torch.ones(1000, 1000) @ torch.ones(1000, 1000)
    lock.acquire()
    lock.acquire()
