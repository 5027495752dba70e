"""I shuffle each batch, but not the batches."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches, batch = [], []
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    for batch in batches:
        generator.shuffle(batch)
    return batches
