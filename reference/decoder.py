"""A small language model: each token sees itself and what came before, never what comes after."""

import torch
from torch import Tensor, nn

from reference.blocks import EncoderBlock
from reference.masks import causal_mask


class CausalDecoder(nn.Module):
    """Token ids (batch, length) in, logits (batch, length, vocab_size) out.

    The logits at a position are for the token after it, and are made of the tokens up to it.
    """

    def __init__(self, vocab_size: int, d_model: int, num_heads: int, num_layers: int, max_len: int) -> None:
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.blocks = nn.ModuleList(
            EncoderBlock(d_model, num_heads, 4 * d_model, norm_first=True) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.shape[1]
        if length > self.max_len:
            raise ValueError(f"{length} tokens came; there are positions for max_len = {self.max_len}")
        if ids.min() < 0 or ids.max() >= self.vocab_size:
            raise ValueError(f"an id lies outside 0 … {self.vocab_size - 1}")
        x = self.tokens(ids) + self.positions(torch.arange(length, device=ids.device))
        mask = causal_mask(length).to(ids.device)  # (target, source)
        for block in self.blocks:
            x = block(x, attn_mask=mask)  # (batch, length, d_model)
        return self.head(self.norm(x))  # type: ignore[no-any-return]
