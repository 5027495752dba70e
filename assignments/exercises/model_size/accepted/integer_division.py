"""The heads from the width."""

D_MODEL = 256
NUM_HEADS = D_MODEL // 64
