"""Chosen from an array."""

import numpy as np

D_MODEL = np.array([64, 128, 256])[1]
NUM_HEADS = np.int32(8)
