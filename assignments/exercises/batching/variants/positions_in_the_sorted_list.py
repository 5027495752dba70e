"""I sort the lengths and return positions in the sorted list."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    in_order = sorted(lengths)
    batches, batch = [], []
    for i, length in enumerate(in_order):
        if batch and length * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
