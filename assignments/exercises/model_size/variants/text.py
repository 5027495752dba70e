"""I read the sizes from a configuration, as texts."""

D_MODEL = "64"
NUM_HEADS = "4"
