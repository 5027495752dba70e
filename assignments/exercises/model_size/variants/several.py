"""I would try several widths."""

D_MODEL = [64, 128, 256]
NUM_HEADS = 4
