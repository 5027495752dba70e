"""Blocks of its own, with multi-head attention by hand."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Config:
    d_model: int = 24
    n_head: int = 3
    n_layer: int = 2


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.n_head = config.n_head
        self.ln_1, self.ln_2 = nn.LayerNorm(config.d_model), nn.LayerNorm(config.d_model)
        self.c_attn = nn.Linear(config.d_model, 3 * config.d_model)
        self.c_proj = nn.Linear(config.d_model, config.d_model)
        self.mlp = nn.Sequential(
            nn.Linear(config.d_model, 4 * config.d_model), nn.ReLU(), nn.Linear(4 * config.d_model, config.d_model)
        )

    def attention(self, x: Tensor, mask: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).split(C, dim=-1))
        att = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        att = F.softmax(att.masked_fill(mask[:, None, None, :], -1e9), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attention(self.ln_1(x), mask)
        return x + self.mlp(self.ln_2(x))


class TinyTransformerClassifier(nn.Module):
    def __init__(self, vocab_size: int, max_len: int, classes: int, config: Config | None = None) -> None:
        super().__init__()
        config = config or Config()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.wte = nn.Embedding(vocab_size, config.d_model)
        self.wpe = nn.Embedding(max_len, config.d_model)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.d_model)
        self.lm_head = nn.Linear(config.d_model, classes, bias=False)

    def forward(self, ids: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        B, T = ids.size()
        if T > self.max_len:
            raise ValueError(f"Cannot forward sequence of length {T}, the longest is {self.max_len}")
        wrong = ids[(ids < 0) | (ids >= self.vocab_size)]
        if wrong.numel() > 0:
            raise ValueError(f"token ids {wrong.tolist()} are outside [0, {self.vocab_size - 1}]")
        mask = torch.zeros(B, T, dtype=torch.bool, device=ids.device) if padding_mask is None else padding_mask
        x = self.wte(ids) + self.wpe(torch.arange(T, device=ids.device)).unsqueeze(0)
        for block in self.blocks:
            x = block(x, mask)
        x = self.ln_f(x) * (1 - mask.to(x.dtype)).unsqueeze(-1)
        return self.lm_head(x.sum(1) / (~mask).sum(1, keepdim=True))
