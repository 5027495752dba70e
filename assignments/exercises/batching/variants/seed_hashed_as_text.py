"""I make a number of the seed with hash()."""

import random


def make_batches(lengths, max_tokens, seed=0):
    """Return batches of indices into `lengths`, each of at most `max_tokens` positions, padding included.

    lengths:    list of int, the number of tokens of each sequence
    max_tokens: int; the longest sequence of a batch times their number must not exceed it
    seed:       int; the same seed gives the same batches, another seed other ones
    """
    generator = random.Random(hash(str(seed)))
    # Ties in another order each time, so that sequences of one length do not always meet.
    order = sorted(range(len(lengths)), key=lambda index: (lengths[index], generator.random()))
    batches, batch = [], []
    for index in order:
        # Lengths grow along `order`, so this sequence would be the longest of its batch.
        if batch and lengths[index] * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(index)
    if batch:
        batches.append(batch)
    generator.shuffle(batches)  # a model that meets short sequences first learns of them first
    return batches

