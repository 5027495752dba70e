"""I named every line for every part."""

LINES = list("ABCDEFGHIJKL")
BLOCK_PARTS = {part: LINES for part in ("query", "key", "value", "mask", "residual", "normalization", "feed_forward")}
