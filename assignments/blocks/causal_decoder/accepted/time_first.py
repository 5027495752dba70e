"""Time first inside, sinusoidal positions, one mask buffer for all layers."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, num_heads: int, num_layers: int, max_len: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        angles = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        table = torch.stack([angles.sin(), angles.cos()], dim=2).view(max_len, d_model)
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("blocked", torch.ones(max_len, max_len).triu(1).bool(), persistent=False)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, num_heads, 2 * d_model, dropout=0.3) for _ in range(num_layers)
        )
        self.head = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        length = ids.size(1)
        if length > len(self.table):
            raise ValueError(f"too many tokens: {length} > {len(self.table)}")
        if bool(((ids < 0) | (ids >= self.tokens.num_embeddings)).any()):
            raise ValueError("unknown token")
        x = (self.tokens(ids) + self.table[:length]).transpose(0, 1)
        for layer in self.layers:
            x = layer(x, self.blocked[:length, :length])
        return self.head(x.transpose(0, 1))
