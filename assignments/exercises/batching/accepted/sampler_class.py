"""A sampler class does the work, as a DataLoader would have it."""
import random


class TokenBatchSampler:
    def __init__(self, lengths, max_tokens, seed):
        self.lengths, self.max_tokens, self.rng = lengths, max_tokens, random.Random(seed)

    def __iter__(self):
        buckets = {}
        for index, length in enumerate(self.lengths):
            buckets.setdefault(-(-length // 10) * 10, []).append(index)
        batches = []
        for top, bucket in buckets.items():
            self.rng.shuffle(bucket)
            # The bucket's upper end stands for the longest: safe, if a little strict.
            count = max(1, self.max_tokens // top)
            batches += [bucket[i : i + count] for i in range(0, len(bucket), count)]
        self.rng.shuffle(batches)
        return iter(batches)


def make_batches(lengths, max_tokens, seed=0):
    return list(TokenBatchSampler(lengths, max_tokens, seed))
