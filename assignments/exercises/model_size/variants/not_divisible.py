"""I took round numbers."""

D_MODEL = 100
NUM_HEADS = 8
