"""Seeds the global generator, and puts the batch of the longest first so that a lack of memory shows at once."""
import random


def make_batches(lengths, max_tokens, seed=0):
    random.seed(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches, batch = [], []
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    if not batches:
        return batches
    *others, longest = batches
    random.shuffle(others)
    return [longest] + others
