"""Small letters with spaces."""

BLOCK_PARTS = {
    "query": " d",
    "key": "b ",
    "value": "c",
    "mask": "f",
    "residual": "i",
    "normalization": "j",
    "feed_forward": "k",
}
