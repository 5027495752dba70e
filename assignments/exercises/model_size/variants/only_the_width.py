"""I forgot the heads."""

D_MODEL = 128
