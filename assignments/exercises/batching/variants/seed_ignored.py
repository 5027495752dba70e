"""I shuffle with the global generator, whatever the seed."""
import random


def make_batches(lengths, max_tokens, seed=0):
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i], random.random()))
    batches, batch = [], []
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    random.shuffle(batches)
    return batches
