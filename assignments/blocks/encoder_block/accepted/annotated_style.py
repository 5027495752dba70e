"""Norms by hand with the unbiased standard deviation, sublayers as modules."""

import copy
import math

import torch
from torch import nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout, norm_first):
        super().__init__()
        self.norm = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        self.d_k, self.h = d_model // h, h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, keep=None):
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if keep is not None:
            scores = scores.masked_fill(keep == 0, -1e9)
        x = torch.matmul(self.dropout(scores.softmax(dim=-1)), value)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadedAttention(num_heads, d_model)
        self.w_1 = nn.Linear(d_model, dim_feedforward)
        self.w_2 = nn.Linear(dim_feedforward, d_model)
        self.sublayer = clones(SublayerConnection(d_model, dropout, norm_first), 2)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        keep = torch.ones(x.size(0), 1, x.size(1), x.size(1))
        if attn_mask is not None:
            keep = keep * (~attn_mask).float()
        if key_padding_mask is not None:
            keep = keep * (~key_padding_mask)[:, None, None, :].float()
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, keep))
        return self.sublayer[1](x, lambda x: self.w_2(self.w_1(x).relu()))
