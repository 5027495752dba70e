"""I wrote the letters without the parts."""

BLOCK_PARTS = ["D", "B", "C", "F", "I", "J", "K"]
