import math
import torch
import torch.nn as nn


def scaled_dot_product_attention(query, key, value, mask=None):
    weights = torch.softmax(
        (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]))
        if mask is None
        else (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).masked_fill(mask, float("-inf")),
        dim=-1,
    )
    return weights @ value, weights


def causal_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length) != 0


def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths)
    return (torch.arange(max_len).repeat(len(lengths), 1) + 1) > lengths.view(-1, 1)


def run_layer(layer, x, lengths, causal):
    return layer(
        x,
        causal_mask(x.size(1)) if causal else None,
        padding_mask(lengths, x.size(1)),
    )


def masked_mean_pool(hidden, padding_mask):
    """The lesson says: pass src_key_padding_mask OR pool only non-padding positions. I do the second."""
    mask = ~padding_mask
    return hidden.mul(mask.unsqueeze(2)).sum(dim=1).div(mask.sum(dim=1).unsqueeze(1).clamp(min=1))


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab_size, 32)
        self.pos_embed = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model=32, nhead=4, dim_feedforward=64, batch_first=True),
            num_layers=2,
        )
        self.out = nn.Linear(32, classes)

    def forward(self, ids):
        x = self.embed(ids) + self.pos_embed(torch.arange(ids.size(1), device=ids.device))
        x = self.encoder(x)
        x = masked_mean_pool(x, ids == self.pad_id)
        return self.out(x)
