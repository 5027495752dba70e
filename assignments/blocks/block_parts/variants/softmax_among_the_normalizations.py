"""I counted the softmax among the normalizations."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "G", "J"],
    "feed_forward": "K",
}
