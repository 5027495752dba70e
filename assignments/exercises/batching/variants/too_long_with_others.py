"""I cut lengths at the budget when I count, so a long one gets company."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    batches, batch, room = [], [], 0
    for i in order:
        if batch and (len(batch) + 1) * lengths[batch[0]] > max_tokens and lengths[batch[0]] <= max_tokens:
            batches.append(batch)
            batch = []
        elif batch and lengths[batch[0]] > max_tokens and len(batch) == 2:
            batches.append(batch)
            batch = []
        batch.append(i)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
