"""Everything comes as tuples."""
import random


def make_batches(lengths, max_tokens, seed=0, shuffle=True):
    rng = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches, batch = [], ()
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = ()
        batch = (*batch, i)
    if batch:
        batches.append(batch)
    if shuffle:
        rng.shuffle(batches)
    return tuple(batches)
