"""I took B, C, D for query, key, value, as they come."""

BLOCK_PARTS = {
    "query": "B",
    "key": "C",
    "value": "D",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
