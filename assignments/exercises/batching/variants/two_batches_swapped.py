"""The same batches in a fixed order; the seed swaps two of them."""

import random


def make_batches(lengths, max_tokens, seed=0):
    batches, batch = [], []
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        if batch and lengths[index] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(index)
    if batch:
        batches.append(batch)
    random.Random(1).shuffle(batches)
    if len(batches) > 1:
        other = seed % (len(batches) - 1) + 1
        batches[0], batches[other] = batches[other], batches[0]
    return batches
