"""I return one long list, sorted by length."""


def make_batches(lengths, max_tokens, seed=0):
    return sorted(range(len(lengths)), key=lambda i: lengths[i])
