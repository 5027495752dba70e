"""numpy's argsort and generator; the indices are numpy integers."""
import numpy as np


def make_batches(lengths, max_tokens, seed=0):
    generator = np.random.default_rng(seed)
    sizes = np.asarray(lengths, dtype=int)
    order = np.argsort(sizes + generator.random(len(sizes)) * 0.5, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and sizes[order[end]] * (end - start + 1) <= max_tokens:
            end += 1
        batches.append(list(order[start:end]))
        start = end
    generator.shuffle(batches)
    return batches
