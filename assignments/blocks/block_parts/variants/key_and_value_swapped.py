"""I took the key for the value."""

BLOCK_PARTS = {
    "query": "D",
    "key": "C",
    "value": "B",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
