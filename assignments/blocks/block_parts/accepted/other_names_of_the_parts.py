"""Other names of the parts."""

BLOCK_PARTS = {
    "Q": "D",
    "K": "B",
    "V": "C",
    "Mask": "F",
    "skip connection": ["I", "L"],
    "Layer-Norm": ["A", "J"],
    "FFN": "K",
}
