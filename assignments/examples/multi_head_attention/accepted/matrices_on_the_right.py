"""Parameters are matrices on the right, x @ W, with a config dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    d_model: int
    num_heads: int
    dropout: float = 0.1

    @property
    def head_dim(self) -> int:
        return self.d_model // self.num_heads


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be shared by num_heads={num_heads}")
        self.config = Config(d_model, num_heads, dropout)
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, d_model))))
        self.attention_dropout = nn.Dropout(dropout)

    def heads(self, x: Tensor, matrix: Tensor) -> Tensor:
        c = self.config
        return torch.movedim((x @ matrix).reshape(*x.shape[:2], c.num_heads, c.head_dim), 2, 1)

    def forward(
        self, x: Tensor, attn_mask: Tensor | None = None, key_padding_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q, k, v = (self.heads(x, matrix) for matrix in (self.W_Q, self.W_K, self.W_V))
        bias = torch.zeros(x.shape[0], 1, x.shape[1], x.shape[1], dtype=x.dtype, device=x.device)
        if attn_mask is not None:
            bias = bias.masked_fill(attn_mask, float("-inf"))
        if key_padding_mask is not None:
            bias = bias.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = self.attention_dropout(torch.softmax(q @ k.mT / self.config.head_dim**0.5 + bias, dim=-1))
        z = torch.movedim(weights @ v, 1, 2).reshape(x.shape)
        return z @ self.W_O, weights
