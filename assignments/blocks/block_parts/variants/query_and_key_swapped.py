"""I took the transposed factor for the query."""

BLOCK_PARTS = {
    "query": "B",
    "key": "D",
    "value": "C",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
