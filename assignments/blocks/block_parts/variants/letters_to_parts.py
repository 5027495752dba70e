"""The dictionary the other way round: from letters to parts."""

BLOCK_PARTS = {
    "D": "query",
    "B": "key",
    "C": "value",
    "F": "mask",
    "I": "residual",
    "A": "normalization",
    "K": "feed_forward",
}
