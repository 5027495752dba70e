"""I return the lengths themselves."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    batches, batch = [], []
    for length in sorted(lengths):
        if batch and length * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(length)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
