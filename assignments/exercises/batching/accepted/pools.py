"""Shuffles all, takes pools of 64, sorts within each pool, fills, and shuffles the batches."""
import random


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(seed)
    shuffled = list(range(len(lengths)))
    rng.shuffle(shuffled)
    batches = []
    for start in range(0, len(shuffled), 64):
        pool = sorted(shuffled[start : start + 64], key=lambda i: lengths[i], reverse=True)
        while pool:
            count = max(1, max_tokens // lengths[pool[0]])
            batches.append(pool[:count])
            pool = pool[count:]
    rng.shuffle(batches)
    return batches
