"""One packed projection in three chunks, and scaled_dot_product_attention."""

import torch
from torch import nn
from torch.nn import functional as F


class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dim_feedforward: int, norm_first: bool) -> None:
        super().__init__()
        self.h = num_heads
        self.pre = norm_first
        self.ln_1, self.ln_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.mlp = nn.ModuleDict({"fc": nn.Linear(d_model, dim_feedforward), "proj": nn.Linear(dim_feedforward, d_model)})

    def attn(self, x, attn_mask, key_padding_mask):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.h, c // self.h).transpose(1, 2) for y in self.c_attn(x).chunk(3, dim=-1))
        allowed = torch.ones(b, 1, t, t, dtype=torch.bool)
        if attn_mask is not None:
            allowed = allowed & ~attn_mask
        if key_padding_mask is not None:
            allowed = allowed & ~key_padding_mask[:, None, None, :]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        mlp = lambda z: self.mlp["proj"](F.relu(self.mlp["fc"](z)))
        if self.pre:
            x = x + self.attn(self.ln_1(x), attn_mask, key_padding_mask)
            return x + mlp(self.ln_2(x))
        x = self.ln_1(x + self.attn(x, attn_mask, key_padding_mask))
        return self.ln_2(x + mlp(x))
