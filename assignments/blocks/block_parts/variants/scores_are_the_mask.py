"""I took the scores for the mask."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "E",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
