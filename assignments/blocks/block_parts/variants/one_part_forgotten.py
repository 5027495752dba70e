"""I forgot the key."""

BLOCK_PARTS = {
    "query": "D",
    "value": "C",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
