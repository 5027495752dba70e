"""I shuffle all sequences and fill the batches in that order."""
import random


def make_batches(lengths, max_tokens, seed=0):
    order = list(range(len(lengths)))
    random.Random(seed).shuffle(order)
    batches, batch = [], []
    for i in order:
        if batch and max(lengths[j] for j in batch + [i]) * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    return batches
