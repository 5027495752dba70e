"""I yield the batches."""
import random


def make_batches(lengths, max_tokens, seed=0):
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i], random.Random(seed + i).random()))
    batch = []
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > max_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
