"""Takes the shortest from a heap until the batch is full."""
import heapq
import random


def make_batches(lengths, max_tokens, seed=0):
    rng = random.Random(seed)
    heap = [(length, rng.random(), index) for index, length in enumerate(lengths)]
    heapq.heapify(heap)
    batches = []
    while heap:
        _, _, index = heapq.heappop(heap)
        batch = [index]
        while heap and heap[0][0] * (len(batch) + 1) <= max_tokens:
            batch.append(heapq.heappop(heap)[2])
        batches.append(batch)
    rng.shuffle(batches)
    return batches
