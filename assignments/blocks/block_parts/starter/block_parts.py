"""Exercise: name the parts of a transformer block. Hand in this file; see handout.md for the block.

Give the letter of a line, "A" to "L", for each part. Residuals and normalizations stand on two lines each:
name one of them or both, ["A", "B"].
"""

BLOCK_PARTS = {
    "query": "?",  # TODO
    "key": "?",
    "value": "?",
    "mask": "?",
    "residual": "?",
    "normalization": "?",
    "feed_forward": "?",
}
