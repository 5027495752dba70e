"""One and one."""

D_MODEL = NUM_HEADS = 1
