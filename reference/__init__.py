"""The model answers: transformer code that hidden tests compare with and that students may be handed.

Pure torch. It must know nothing of Attest. Boolean masks mean True = blocked, as in
`torch.nn.MultiheadAttention`.
"""

from reference.attention import scaled_dot_product_attention
from reference.batching import make_batches, padded_share, shuffled_batches
from reference.blocks import EncoderBlock
from reference.decoder import CausalDecoder
from reference.masks import causal_mask, padding_mask, run_layer
from reference.multihead import MultiHeadSelfAttention
from reference.pooling import MeanPoolClassifier, masked_mean_pool
from reference.positions import sinusoidal_positions

__all__ = [
    "CausalDecoder",
    "EncoderBlock",
    "MeanPoolClassifier",
    "MultiHeadSelfAttention",
    "causal_mask",
    "make_batches",
    "masked_mean_pool",
    "padded_share",
    "padding_mask",
    "run_layer",
    "scaled_dot_product_attention",
    "shuffled_batches",
    "sinusoidal_positions",
]
