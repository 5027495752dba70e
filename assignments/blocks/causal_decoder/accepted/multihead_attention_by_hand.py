"""Nn.MultiheadAttention with a float mask for each head."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len, self.num_heads = vocab_size, max_len, num_heads
        self.embed = nn.ModuleDict({"token": nn.Embedding(vocab_size, d_model), "place": nn.Embedding(max_len, d_model)})
        self.attention = nn.ModuleList(nn.MultiheadAttention(d_model, num_heads, batch_first=True) for _ in range(num_layers))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(num_layers))
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        length = ids.shape[1]
        place = torch.arange(length).expand_as(ids)
        x = self.embed["token"](ids) + self.embed["place"](place)
        mask = torch.zeros(length, length, dtype=x.dtype).masked_fill(place[0][None] > place[0][:, None], -torch.inf)
        for attention, norm in zip(self.attention, self.norms):
            mixed, _ = attention(x, x, x, attn_mask=mask.repeat(len(ids) * self.num_heads, 1, 1))
            x = norm(x + mixed)
        return self.head(x)
