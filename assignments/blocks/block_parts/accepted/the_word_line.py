"""The word line before each letter."""

BLOCK_PARTS = {
    "query": "line D",
    "key": "line B",
    "value": "line C",
    "mask": "line F",
    "residual": "lines I and L",
    "normalization": "lines A and J",
    "feed_forward": "line K",
}
