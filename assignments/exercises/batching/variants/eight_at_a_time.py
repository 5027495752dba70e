"""I put eight sequences of similar length into every batch."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches = [order[k : k + 8] for k in range(0, len(order), 8)]
    generator.shuffle(batches)
    return batches
