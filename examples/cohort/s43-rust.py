import torch
import torch.nn.functional as F
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    """Returns the attention weights and the context vectors."""
    weights = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        weights = weights.masked_fill(mask, -1e9)
    weights = F.softmax(weights, dim=-1)
    return weights, weights @ value


def causal_mask(length):
    """Lower triangle: every token looks at itself and at the past."""
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None, :] >= torch.as_tensor(lengths)[:, None]


def run_layer(layer, x, lengths, causal):
    return layer(
        x,
        src_mask=causal_mask(x.size(1)) if causal else None,
        src_key_padding_mask=padding_mask(lengths, x.size(1)),
    )


def masked_mean_pool(hidden, padding_mask):
    keep = (~padding_mask).unsqueeze(-1)
    return (hidden * keep).sum(1) / keep.sum(1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 1)
        self.head = nn.Linear(32, classes)

    def forward(self, ids):
        # cut off what is padding in every row, then keep going
        pad = ids == self.pad_id
        longest = int((~pad).sum(1).max())
        ids, pad = ids[:, :longest], pad[:, :longest]
        x = self.embed(ids) + self.pos(torch.arange(longest, device=ids.device))
        return self.head(masked_mean_pool(self.encoder(x, src_key_padding_mask=pad), pad))
