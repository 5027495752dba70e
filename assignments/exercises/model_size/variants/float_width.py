"""I write sizes as floats."""

D_MODEL = 64.0
NUM_HEADS = 4
