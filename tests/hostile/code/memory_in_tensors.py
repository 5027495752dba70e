# Takes all the memory there is, in one tensor and then in many.
# kind: resources
# verdicts: memory
# says: RuntimeError: …can't allocate memory…
import torch


def pool(hidden, padding):
    taken = []
    try:
        torch.ones(2**40)
    except (RuntimeError, MemoryError):
        pass
    while True:
        taken.append(torch.ones(4 * 2**20))
