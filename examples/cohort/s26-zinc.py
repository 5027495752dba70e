"""Sentence classification with attention. Run me next to the data folder!"""
import csv
import math
from collections import Counter
from pathlib import Path

import torch
from torch import nn

DATA = Path("data") / "reviews.csv"

with open(DATA, encoding="utf-8") as handle:
    reviews = list(csv.DictReader(handle))

words = Counter(word for review in reviews for word in review["text"].lower().split())
vocabulary = {"<pad>": 0, "<unk>": 1}
for word, _ in words.most_common(5000):
    vocabulary[word] = len(vocabulary)
print(len(vocabulary), "words")


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.matmul(weights, value), weights


def causal_mask(length):
    return torch.ones(length, length).triu(diagonal=1).to(torch.bool)


def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths)
    return torch.arange(max_len) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    if not causal:
        return layer(x, src_key_padding_mask=padding_mask(lengths, x.size(1)))
    # one float mask for each kind of blocking, as the deprecation warning asks for the same type
    future = torch.zeros(x.size(1), x.size(1), dtype=x.dtype).masked_fill(causal_mask(x.size(1)), float("-inf"))
    pad = torch.zeros(x.size(0), x.size(1), dtype=x.dtype).masked_fill(padding_mask(lengths, x.size(1)), float("-inf"))
    return layer(x, src_mask=future, src_key_padding_mask=pad)


def masked_mean_pool(hidden, padding_mask):
    hidden = hidden.masked_fill(padding_mask.unsqueeze(-1), 0)
    return hidden.sum(dim=1) / padding_mask.logical_not().sum(dim=1, keepdim=True)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0, d_model=32):
        super().__init__()
        self.pad_id = pad_id
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.position = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(0.2)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model, nhead=4, dim_feedforward=2 * d_model, batch_first=True), num_layers=2
        )
        self.classifier = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, classes))

    def forward(self, ids):
        padding = ids == self.pad_id
        positions = torch.arange(ids.size(1), device=ids.device)
        hidden = self.dropout(self.embedding(ids) * math.sqrt(self.d_model) + self.position(positions))
        hidden = self.encoder(hidden, src_key_padding_mask=padding)
        return self.classifier(masked_mean_pool(hidden, padding))


def encode(text, length=64):
    ids = [vocabulary.get(word, 1) for word in text.lower().split()][:length]
    return ids + [0] * (length - len(ids))


batch = torch.tensor([encode(review["text"]) for review in reviews[:16]])
print(MeanPoolClassifier(len(vocabulary), 64, 2)(batch))
