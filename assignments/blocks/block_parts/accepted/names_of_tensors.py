"""The names of the tensors in place of letters."""

BLOCK_PARTS = {
    "query": "x4",
    "key": "x2",
    "value": "x3",
    "mask": "x6",
    "residual": "x9",
    "normalization": ["x1", "x10"],
    "feed_forward": "x11",
}
