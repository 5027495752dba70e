"""The names of the layers where there are some."""

BLOCK_PARTS = {
    "query": "self.f4",
    "key": "self.f2",
    "value": "self.f3",
    "mask": "F",
    "residual": "I",
    "normalization": ["f1", "f6"],
    "feed_forward": ["f7", "f8"],
}
