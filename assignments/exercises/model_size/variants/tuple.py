"""I left a comma behind the number."""

D_MODEL = 64,
NUM_HEADS = 4
