# Shares tensors and memory between its own processes.
import multiprocessing
from multiprocessing import shared_memory

import torch


def fill(tensor, queue):
    tensor.fill_(3.0)
    queue.put(5)


def f():
    context = multiprocessing.get_context("fork")
    tensor, queue = torch.zeros(4).share_memory_(), context.Queue()
    child = context.Process(target=fill, args=(tensor, queue))
    child.start()
    got = queue.get(timeout=20)
    child.join()
    area = shared_memory.SharedMemory(create=True, size=16)
    area.buf[0] = 1
    area.close()
    area.unlink()
    return got == 5 and tensor.tolist() == [3.0] * 4
