"""I took the softmax for the normalization."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": "G",
    "feed_forward": "K",
}
