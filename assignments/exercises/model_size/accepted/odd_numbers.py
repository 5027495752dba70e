"""Any multiple will do."""

HEAD_DIM = 7
NUM_HEADS = 3
D_MODEL = NUM_HEADS * HEAD_DIM
