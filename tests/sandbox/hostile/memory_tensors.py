# Takes all the memory there is, in one tensor and then in many.
import torch


def attempt():
    taken = []
    try:
        torch.ones(2**40)
    except (RuntimeError, MemoryError):
        pass
    while True:
        taken.append(torch.ones(4 * 2**20))
