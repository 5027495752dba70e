"""Seeds the generator with a text made of hash() of numbers, which is the same in every process."""
import random


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(f"batches {hash((seed, 0.5, None is None))}")
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i], rng.random()))
    batches = []
    for i in order:
        if batches and lengths[i] * (len(batches[-1]) + 1) <= max_tokens:
            batches[-1].append(i)
        else:
            batches.append([i])
    rng.shuffle(batches)
    return batches
