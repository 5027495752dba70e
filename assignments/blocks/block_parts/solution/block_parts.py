"""Exercise: name the parts of a transformer block."""

BLOCK_PARTS = {
    "query": "D",  # its rows are the targets of the scores: the left factor in line E
    "key": "B",  # transposed in line E, so its rows are the sources
    "value": "C",  # averaged with the weights in line H
    "mask": "F",
    "residual": ["I", "L"],
    "normalization": ["A", "J"],
    "feed_forward": "K",
}
