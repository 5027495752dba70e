"""I count the real tokens of a batch against the budget, not its padding."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = list(range(len(lengths)))
    generator.shuffle(order)
    order.sort(key=lambda i: lengths[i] // 4)
    batches, batch, total = [], [], 0
    for i in order:
        if batch and total + lengths[i] > max_tokens:
            batches.append(batch)
            batch, total = [], 0
        batch.append(i)
        total += lengths[i]
    if batch:
        batches.append(batch)
    generator.shuffle(batches)
    return batches
