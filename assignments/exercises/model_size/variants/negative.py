"""I thought -1 stands for whatever fits."""

D_MODEL = -1
NUM_HEADS = 1
