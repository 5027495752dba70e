import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    scale = 1 / math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1) * scale
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    p = F.softmax(scores, -1)
    return p @ value, p


def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=bool), 1)


def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths)
    return torch.stack([torch.arange(max_len) >= n for n in lengths])


def run_layer(layer, x, lengths, causal):
    T = x.size(1)
    if causal:
        return layer(x, src_mask=causal_mask(T), src_key_padding_mask=padding_mask(lengths, T))
    return layer(x, src_key_padding_mask=padding_mask(lengths, T))


# my own multi head attention, nn.MultiheadAttention felt like cheating
class MyMultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.dk = d_model // h
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, x, mask):
        B, T, d = x.shape
        q = self.wq(x).view(B, self.h, T, self.dk)
        k = self.wk(x).view(B, self.h, T, self.dk)
        v = self.wv(x).view(B, self.h, T, self.dk)
        out, _ = scaled_dot_product_attention(q, k, v, mask[:, None, None, :])
        return self.wo(out.view(B, T, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, h, ff):
        super().__init__()
        self.mha = MyMultiHeadAttention(d_model, h)
        self.ff = nn.Sequential(nn.Linear(d_model, ff), nn.ReLU(), nn.Linear(ff, d_model))
        self.ln1 = nn.LayerNorm(d_model)
        self.ln2 = nn.LayerNorm(d_model)

    def forward(self, x, mask):
        x = self.ln1(x + self.mha(x, mask))
        x = self.ln2(x + self.ff(x))
        return x


def masked_mean_pool(hidden, padding_mask):
    m = ~padding_mask
    return (hidden * m.unsqueeze(-1)).sum(1) / m.sum(1, keepdim=True)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.emb = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.layer = EncoderLayer(32, 4, 64)
        self.fc = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.emb(ids) + self.pos(torch.arange(ids.size(1)))
        x = self.layer(x, pad)
        return self.fc(masked_mean_pool(x, pad))
