"""I took the output projection for the value."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "H",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
