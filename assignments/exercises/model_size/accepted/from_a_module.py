"""Builds the module first."""

from torch import nn

attention = nn.MultiheadAttention(96, 6, batch_first=True)
D_MODEL = attention.embed_dim
NUM_HEADS = attention.num_heads
