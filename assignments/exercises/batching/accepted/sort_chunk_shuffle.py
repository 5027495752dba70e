"""Sorts, cuts into chunks, fills each chunk to the budget, and shuffles the batches."""
import random
from typing import List


def make_batches(lengths: List[int], max_tokens: int, seed: int = 0) -> List[List[int]]:
    rng = random.Random(seed)
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batches = []
    for start in range(0, len(order), 16):
        chunk = order[start : start + 16]
        rng.shuffle(chunk)
        current, longest = [], 0
        for index in chunk:
            longest_with = max(longest, lengths[index])
            if current and longest_with * (len(current) + 1) > max_tokens:
                batches.append(current)
                current, longest_with = [], lengths[index]
            current.append(index)
            longest = longest_with
        if current:
            batches.append(current)
    rng.shuffle(batches)
    return batches
