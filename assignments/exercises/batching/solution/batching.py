"""Batching sequences of different lengths.

Exercise 5

I sort the sequences by length and fill each batch until longest × count would exceed a budget of tokens, so
that a batch holds many short sequences or few long ones, takes about the same time and memory whichever it
is, and has little padding. Ties are broken at random, so that sequences of one length do not always meet.

If the batches came in this order the model would learn from short sequences first and from long ones last,
with gradients that are biased at each moment, so the batches are shuffled anew for each epoch. The batches
themselves still hold sequences of like length only; noise in the sort, or sorting within large pools of a
shuffled corpus, makes them more varied for a little more padding. Sequences longer than the context cannot
be used whole: I would cut documents into chunks of the context's length, with some overlap where the start
of a chunk needs what stood before it, and truncate only where the beginning says enough.

Attention keeps n² scores for each head, so one sequence of 3,000 tokens needs as much as 100 of 300 and may
be what runs out of memory, though its tokens fit the budget. I would bound n² × count beside the tokens,
give such a sequence a batch of its own, count how many there are, and report it when some are dropped or
cut.
"""

import random


def make_batches(lengths, max_tokens, seed=0):
    """Return batches of indices into `lengths`, each of at most `max_tokens` positions, padding included.

    lengths:    list of int, the number of tokens of each sequence
    max_tokens: int; the longest sequence of a batch times their number must not exceed it
    seed:       int; the same seed gives the same batches, another seed other ones
    """
    generator = random.Random(seed)
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


if __name__ == "__main__":
    example = [3, 50, 4, 48, 5, 3, 47, 4]
    for batch in make_batches(example, max_tokens=100):
        print(batch, [example[index] for index in batch])
