"""I wanted as many heads as possible."""

D_MODEL = 64
NUM_HEADS = 96
