"""I counted the feed-forward network among the residuals."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": ["I", "K", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
