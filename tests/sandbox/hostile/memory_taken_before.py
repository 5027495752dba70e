# Takes memory before it is measured: a buffer that the call works in, or ballast that the call gives back.
import resource

import torch

kept = []


def before(count):
    kept.append(torch.ones(count, dtype=torch.uint8))


def buffer(count):
    _lifted()
    kept.append(torch.ones(count - len(kept[0]), dtype=torch.uint8))
    kept[0].add_(1)
    kept.pop()
    return "taken"


def ballast(count):
    _lifted()
    kept.clear()
    return int(torch.ones(count, dtype=torch.uint8)[-1])


def refilled(count):
    held = len(kept[0])
    taken = ballast(count)
    before(held)
    return taken


def _lifted():
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
