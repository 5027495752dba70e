"""What a student may run before handing in: the handout's own example."""

from collections import Counter

from graders import fail, integer_lists, points

LENGTHS = [3, 50, 4, 48, 5, 3, 47, 4]


@points(
    0.5, hint="Each of 0 to len(lengths) - 1 stands in one batch, and longest × count is at most max_tokens."
)
def test_example(student):
    """Eight sequences are batched, each once, with at most 100 positions a batch."""
    batches = integer_lists(student.make_batches(LENGTHS, 100), "the batches", one="batch")
    times = Counter(index for batch in batches for index in batch)
    for index in sorted({*range(len(LENGTHS)), *times}):
        if index not in range(len(LENGTHS)):
            fail(f"Index {index} came; there are eight sequences, 0 to 7.", got=batches)
        if times[index] != 1:
            fail(f"Index {index} came {times[index]} times; once was expected.", got=batches)
    for batch in batches:
        longest = max(LENGTHS[index] for index in batch or [0])
        if longest * len(batch) > 100:
            fail(
                f"Batch {batch} takes {len(batch)} × {longest} = {len(batch) * longest} positions, since "
                "each sequence is padded to the longest of its batch; there may be 100.",
                got=batches,
            )
