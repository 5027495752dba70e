"""Batches of sequences of different lengths, and how much of them is padding.

A batch is padded to its longest sequence, so it takes longest × count positions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

Batches = list[list[int]]  # indices into the lengths


def positions(batch: Sequence[int], lengths: Sequence[int]) -> int:
    """Return how many positions a batch takes once it is padded: longest × count."""
    return max((lengths[index] for index in batch), default=0) * len(batch)


def padded_share(batches: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """Return which part of all positions is padding, from 0 to below 1."""
    taken = sum(positions(batch, lengths) for batch in batches)
    real = sum(lengths[index] for batch in batches for index in batch)
    return 1 - real / taken if taken else 0.0


def filled_in_order(order: Sequence[int], lengths: Sequence[int], max_tokens: int) -> Batches:
    """Fill batches along `order`, each until the next sequence would take it beyond `max_tokens` positions.

    A sequence longer than that has a batch of its own.
    """
    batches: Batches = []
    for index in order:
        if batches and positions([*batches[-1], index], lengths) <= max_tokens:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


def shuffled_batches(lengths: Sequence[int], max_tokens: int, seed: int = 0) -> Batches:
    """Return batches filled in a random order: what to compare a better sampler with."""
    order = list(range(len(lengths)))
    random.Random(seed).shuffle(order)  # noqa: S311 - repeatable
    return filled_in_order(order, lengths, max_tokens)


def make_batches(lengths: Sequence[int], max_tokens: int, seed: int = 0) -> Batches:
    """Return batches of similar lengths, in random order: sort, fill, shuffle the batches."""
    generator = random.Random(seed)  # noqa: S311 - repeatable
    order = sorted(range(len(lengths)), key=lambda index: (lengths[index], generator.random()))
    batches = filled_in_order(order, lengths, max_tokens)
    generator.shuffle(batches)
    return batches
