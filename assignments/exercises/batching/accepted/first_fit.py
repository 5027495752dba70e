"""Longest first into the first batch with room; then the batches are shuffled."""
import random


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], rng.random()))
    batches = []
    for i in order:
        for batch in batches:
            if lengths[batch[0]] * (len(batch) + 1) <= max_tokens:
                batch.append(i)
                break
        else:
            batches.append([i])
    rng.shuffle(batches)
    return batches
