"""Sets and tuples of letters."""

BLOCK_PARTS = {
    "query": ("D",),
    "key": "B",
    "value": "C",
    "mask": "F",
    "residual": {"L", "I"},
    "normalization": frozenset("AJ"),
    "feed_forward": "K",
}
