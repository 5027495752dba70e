"""I mixed up the two names."""

D_MODEL = 4
NUM_HEADS = 64
