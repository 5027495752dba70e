"""Sorts by length times a random factor, fills by the true longest, and shuffles."""
import random


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(seed)
    noisy = sorted(range(len(lengths)), key=lambda i: lengths[i] * rng.uniform(0.9, 1.1))
    batches = []
    for i in noisy:
        longest = max([lengths[j] for j in batches[-1]] + [lengths[i]]) if batches else 0
        if batches and longest * (len(batches[-1]) + 1) <= max_tokens:
            batches[-1].append(i)
        else:
            batches.append([i])
    rng.shuffle(batches)
    return batches
