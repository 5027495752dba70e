"""I took normalization and residual for each other."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": "J",
    "normalization": "I",
    "feed_forward": "K",
}
