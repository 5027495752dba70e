"""The model answers: transformer code that hidden tests compare with and that students may be handed.

Pure torch. It must know nothing of Attest. Boolean masks mean True = blocked, as in
`torch.nn.MultiheadAttention`.
"""

from reference.attention import scaled_dot_product_attention
from reference.masks import causal_mask, padding_mask, run_layer
from reference.multihead import MultiHeadSelfAttention
from reference.pooling import MeanPoolClassifier, masked_mean_pool

__all__ = [
    "MeanPoolClassifier",
    "MultiHeadSelfAttention",
    "causal_mask",
    "masked_mean_pool",
    "padding_mask",
    "run_layer",
    "scaled_dot_product_attention",
]
