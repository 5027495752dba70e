"""I take max_tokens // max(lengths) sequences a batch, for short ones too."""
import random


def make_batches(lengths, max_tokens, seed=0):
    if not lengths:
        return []
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i], generator.random()))
    count = max(1, max_tokens // max(lengths))
    batches = [order[k : k + count] for k in range(0, len(order), count)]
    generator.shuffle(batches)
    return batches
