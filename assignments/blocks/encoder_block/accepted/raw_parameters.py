"""Raw parameters, stored as (in, out), and einsum."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        make = lambda *shape: nn.Parameter(torch.randn(*shape) * 0.1)
        d_head = d_model // num_heads
        self.w_q, self.w_k, self.w_v = (make(num_heads, d_model, d_head) for _ in range(3))
        self.w_o = make(num_heads, d_head, d_model)
        self.w_1, self.b_1 = make(d_model, dim_feedforward), nn.Parameter(torch.zeros(dim_feedforward))
        self.w_2, self.b_2 = make(dim_feedforward, d_model), nn.Parameter(torch.zeros(d_model))
        self.gain = nn.ParameterList([nn.Parameter(torch.ones(d_model)) for _ in range(2)])
        self.shift = nn.ParameterList([nn.Parameter(torch.zeros(1, 1, d_model)) for _ in range(2)])
        self.norm_first = norm_first

    def norm(self, i, x):
        return nn.functional.layer_norm(x, x.shape[-1:]) * self.gain[i] + self.shift[i]

    def attention(self, x, attn_mask, key_padding_mask):
        q, k, v = (torch.einsum("btd,hde->bhte", x, w) for w in (self.w_q, self.w_k, self.w_v))
        scores = torch.einsum("bhte,bhse->bhts", q * q.shape[-1] ** -0.5, k)
        if attn_mask is not None:
            scores = scores + attn_mask.to(x.dtype) * -1e9
        if key_padding_mask is not None:
            scores = scores + key_padding_mask.to(x.dtype)[:, None, None, :] * -1e9
        return torch.einsum("bhts,bhse,hed->btd", scores.softmax(-1), v, self.w_o)

    def feed_forward(self, x):
        return (x @ self.w_1 + self.b_1).clamp(min=0) @ self.w_2 + self.b_2

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        if self.norm_first:
            x = x + self.attention(self.norm(0, x), attn_mask, key_padding_mask)
            return x + self.feed_forward(self.norm(1, x))
        x = self.norm(0, x + self.attention(x, attn_mask, key_padding_mask))
        return self.norm(1, x + self.feed_forward(x))
