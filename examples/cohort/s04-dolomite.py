# Transformer exercises
# I like small classes, so almost everything here is one.

import math
import torch
from torch import nn


class Masks:
    """True always means: blocked."""

    @staticmethod
    def causal(length):
        return torch.triu(torch.full((length, length), True), diagonal=1)

    @staticmethod
    def padding(lengths, max_len):
        if not isinstance(lengths, torch.Tensor):
            lengths = torch.tensor(list(lengths))
        mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
        for row, length in enumerate(lengths.tolist()):
            mask[row, length:] = True
        return mask


class ScaledDotProductAttention(nn.Module):
    """Both sides divided by d^(1/4): the same as dividing the product by sqrt(d), but safer in half precision."""

    def forward(self, query, key, value, mask=None):
        root = math.sqrt(math.sqrt(query.shape[-1]))
        scores = torch.matmul(query / root, (key / root).transpose(-1, -2))
        if mask is not None:
            bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
            bias.masked_fill_(mask, -1e9)
            scores = scores + bias
        weights = nn.functional.softmax(scores, dim=-1)
        return torch.matmul(weights, value), weights


class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        t = torch.arange(max_len).unsqueeze(1)
        freq = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("table", torch.cat([torch.sin(t * freq), torch.cos(t * freq)], dim=1))

    def forward(self, x):
        return x + self.table[: x.size(1)].to(x.dtype)


class MultiHead(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        d_head = d_model // num_heads
        self.queries = nn.ModuleList(nn.Linear(d_model, d_head) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(d_model, d_head) for _ in range(num_heads))
        self.values = nn.ModuleList(nn.Linear(d_model, d_head) for _ in range(num_heads))
        self.output = nn.Linear(d_model, d_model)
        self.attention = ScaledDotProductAttention()

    def forward(self, x, mask):
        heads = []
        for to_q, to_k, to_v in zip(self.queries, self.keys, self.values):
            context, _ = self.attention(to_q(x), to_k(x), to_v(x), mask)
            heads.append(context)
        return self.output(torch.cat(heads, dim=-1))


class Block(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.attend = MultiHead(d_model, num_heads)
        self.feed = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.ReLU(), nn.Linear(2 * d_model, d_model))
        self.before_attend = nn.LayerNorm(d_model)
        self.before_feed = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = x + self.drop(self.attend(self.before_attend(x), mask))
        return x + self.drop(self.feed(self.before_feed(x)))


class MeanPool(nn.Module):
    def forward(self, hidden, padding_mask):
        keep = torch.logical_not(padding_mask)
        total = torch.zeros_like(hidden[:, 0])
        for position in range(hidden.shape[1]):
            total = total + hidden[:, position] * keep[:, position, None]
        return total / keep.sum(dim=1, keepdim=True)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, 16)
        self.positions = SinusoidalPositions(max_len, 16)
        self.blocks = nn.ModuleList([Block(16, 2), Block(16, 2)])
        self.norm = nn.LayerNorm(16)
        self.pool = MeanPool()
        self.head = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, classes))

    def forward(self, ids):
        padding = ids.eq(self.pad_id)
        x = self.positions(self.tokens(ids))
        for block in self.blocks:
            x = block(x, padding[:, None, :])
        return self.head(self.pool(self.norm(x), padding))


# The functions that the sheet asks for.

def scaled_dot_product_attention(query, key, value, mask=None):
    return ScaledDotProductAttention()(query, key, value, mask)


def causal_mask(length):
    return Masks.causal(length)


def padding_mask(lengths, max_len):
    return Masks.padding(lengths, max_len)


def run_layer(layer, x, lengths, causal):
    kwargs = {"src_key_padding_mask": Masks.padding(lengths, x.size(1))}
    if causal:
        kwargs["src_mask"] = Masks.causal(x.size(1))
    return layer(x, **kwargs)


def masked_mean_pool(hidden, padding_mask):
    return MeanPool()(hidden, padding_mask)


"""
Exercise 4

Why skip padding in the mean: sum / n with n the number of real tokens is the only mean which does not depend on T.
Why the attention mask as well: softmax(q k^T) gives pads weight > 0, so h_i = f(x_1, ..., x_n, pad, ..., pad).
Then mean_i h_i depends on T, <u>although</u> the mean itself skips the pads.
"""
