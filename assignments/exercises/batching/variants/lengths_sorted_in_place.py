"""I sort (length, index) pairs, and sort the caller's list as well."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    lengths.sort()
    batches, batch = [], []
    for i, length in zip(order, lengths):
        if batch and length * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
