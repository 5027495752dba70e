"""Weights from a softmax in float32, blocked afterwards and made to sum to one again."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d_model, width, bias=False) for _ in range(3))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        weights = (self.query(x) @ self.key(x).mT * self.key.out_features**-0.5).float().softmax(-1).to(x.dtype)
        weights = weights.tril()
        weights = weights / weights.sum(-1, keepdim=True)
        return self.drop(weights) @ self.value(x)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.ReLU(), nn.Linear(4 * d_model, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        y = self.ln1(x)
        x = x + self.proj(torch.cat([head(y) for head in self.heads], dim=-1))
        return x + self.mlp(self.ln2(x))


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.token_embedding_table = nn.Embedding(vocab_size, d_model)
        self.position_embedding_table = nn.Embedding(max_len, d_model)
        self.blocks = nn.Sequential(*[Layer(d_model, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(d_model)
        self.lm_head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        x = self.token_embedding_table(ids) + self.position_embedding_table(torch.arange(ids.shape[1]))
        return self.lm_head(self.ln_f(self.blocks(x)))
