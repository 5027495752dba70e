"""I took the softmax for the mask."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "G",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
