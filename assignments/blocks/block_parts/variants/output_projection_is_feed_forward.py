"""I took the output projection for the feed-forward network."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "H",
}
