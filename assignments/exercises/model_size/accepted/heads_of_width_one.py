"""Heads of width one are allowed."""

D_MODEL = 32
NUM_HEADS = 32
