"""One line where there are two."""

BLOCK_PARTS = {
    "query": "D",
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": "L",
    "normalization": "A",
    "feed_forward": "K",
}
