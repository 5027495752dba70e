import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    # similarity of every query with every key
    scores = torch.matmul(query, key.transpose(-2, -1))

    # hide the positions that we must not look at
    if mask is not None:
        scores = scores.masked_fill(mask, float('-inf'))

    # turn similarities into probabilities, then mix the values
    weights = F.softmax(scores, dim=-1)
    context = torch.matmul(weights, value)
    return context, weights


def causal_mask(length):
    # ones above the diagonal = the future
    return torch.triu(torch.ones(length, length), diagonal=1).bool()


def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths).reshape(-1, 1)
    positions = torch.arange(max_len).reshape(1, -1)
    return positions >= lengths


def run_layer(layer, x, lengths, causal):
    pad = padding_mask(lengths, x.size(1))
    if causal:
        return layer(x, src_mask=causal_mask(x.size(1)), src_key_padding_mask=pad)
    return layer(x, src_key_padding_mask=pad)


def masked_mean_pool(hidden, padding_mask):
    # zero out the padding, add up, divide by how many are left
    hidden = hidden.masked_fill(padding_mask.unsqueeze(-1), 0.0)
    n = (~padding_mask).sum(dim=1, keepdim=True)
    return hidden.sum(dim=1) / n


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, 32, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, 32)
        encoder_layer = nn.TransformerEncoderLayer(32, 2, dim_feedforward=64, batch_first=True)
        self.encoder = nn.TransformerEncoder(encoder_layer, num_layers=2)
        self.classifier = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        pos = torch.arange(ids.size(1), device=ids.device)
        h = self.embedding(ids) + self.positions(pos)
        h = self.encoder(h, src_key_padding_mask=pad)
        return self.classifier(masked_mean_pool(h, pad))
