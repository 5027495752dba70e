"""I compute the number of heads."""

D_MODEL = 256
NUM_HEADS = D_MODEL / 32
