"""A single head is a choice too."""

D_MODEL = 64
NUM_HEADS = 1
