"""I add the sequence that does not fit to the old batch and to the new one."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches, batch = [], []
    for i in order:
        batch.append(i)
        if lengths[i] * len(batch) > max_tokens:
            batches.append(batch)
            batch = [i]
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
