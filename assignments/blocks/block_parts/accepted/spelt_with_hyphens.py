"""Other spellings of the parts."""

BLOCK_PARTS = {
    "Query": "D",
    "Key": "B",
    "Value": "C",
    "attention mask": "F",
    "residual connection": "I, L",
    "normalisation": "A/J",
    "feed-forward": "K",
}
