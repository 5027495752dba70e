"""My buckets are a hundred tokens wide."""
import random


def make_batches(lengths, max_tokens, seed=0):
    generator = random.Random(seed)
    buckets = {}
    for i, length in enumerate(lengths):
        buckets.setdefault(length // 100, []).append(i)
    batches = []
    for bucket in buckets.values():
        generator.shuffle(bucket)
        batch = []
        for i in bucket:
            if batch and max(lengths[j] for j in batch + [i]) * (len(batch) + 1) > max_tokens:
                batches.append(batch)
                batch = []
            batch.append(i)
        if batch:
            batches.append(batch)
    generator.shuffle(batches)
    return batches
