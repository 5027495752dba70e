"""I batch only sequences of exactly the same length."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    groups = {}
    for i, length in enumerate(lengths):
        groups.setdefault(length, []).append(i)
    batches = []
    for length, group in groups.items():
        generator.shuffle(group)
        count = max(1, max_tokens // length)
        batches += [group[k : k + count] for k in range(0, len(group), count)]
    generator.shuffle(batches)
    return batches
