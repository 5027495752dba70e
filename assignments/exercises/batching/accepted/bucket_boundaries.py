"""Buckets between boundaries that double, as tf.data's bucket_by_sequence_length has them."""
import bisect
import random

BOUNDARIES = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(seed)
    buckets = [[] for _ in range(len(BOUNDARIES) + 1)]
    for i in rng.sample(range(len(lengths)), len(lengths)):
        buckets[bisect.bisect_left(BOUNDARIES, lengths[i])].append(i)
    out = []
    for bucket in buckets:
        batch, longest = [], 0
        for i in bucket:
            if batch and max(longest, lengths[i]) * (len(batch) + 1) > max_tokens:
                out.append(batch)
                batch, longest = [], 0
            batch.append(i)
            longest = max(longest, lengths[i])
        if batch:
            out.append(batch)
    rng.shuffle(out)
    return out
