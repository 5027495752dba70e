"""I say that there are heads."""

D_MODEL = 64
NUM_HEADS = True
