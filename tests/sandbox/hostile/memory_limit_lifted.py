# Lifts the limit that a memory cap sets, takes the memory for a moment, and lowers the limit again.
import ctypes
import os
import resource

import torch

reserved = torch.empty(64 * 2**20, dtype=torch.uint8)  # pages that are not there until they are written


def _take(count):
    return int(torch.ones(count, dtype=torch.uint8)[-1])


def _lifted():
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    return soft, hard


def attempt(count):
    before = _lifted()
    _take(count)
    resource.setrlimit(resource.RLIMIT_DATA, before)
    return "taken"


def in_a_child(count):
    child = os.fork()
    if child == 0:
        _lifted()
        for _ in range(40):
            _take(count)
        os._exit(0)
    os.waitpid(child, 0)
    return "taken"


def from_a_reserve(count):
    return int(reserved[:count].fill_(1)[-1])


def shared(count):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    place = libc.mmap(None, count, 3, 0x21, -1, 0)
    ctypes.memset(place, 1, count)
    libc.munmap(ctypes.c_void_p(place), ctypes.c_size_t(count))
    return "taken"


def without_limits(count):
    resource.setrlimit = lambda *_: None
    return _take(count)
