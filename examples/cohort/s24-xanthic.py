import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1234)
random.seed(1234)


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


def masked_mean_pool(hidden, padding_mask):
    keep = (~padding_mask).unsqueeze(-1).type(hidden.dtype)
    return (hidden * keep).sum(dim=1) / keep.sum(dim=1).clamp(min=1e-9)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, 64, padding_idx=pad_id)
        self.position = nn.Embedding(max_len, 64)
        layer = nn.TransformerEncoderLayer(64, 4, dim_feedforward=256, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=3)
        self.classifier = nn.Linear(64, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.embedding(ids) + self.position(torch.arange(ids.size(1), device=ids.device))
        x = self.encoder(x, src_key_padding_mask=pad)
        return self.classifier(masked_mean_pool(x, pad))


# ---- training: is there a 7 in the sentence? ----

def make_batch(size=64, max_len=48):
    ids = torch.randint(1, 50, (size, max_len))
    for row in range(size):
        ids[row, random.randint(4, max_len):] = 0
    return ids, (ids == 7).any(dim=1).long()


device = "cuda" if torch.cuda.is_available() else "cpu"
model = MeanPoolClassifier(50, 48, 2).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
history = []

for epoch in range(200):
    model.train()
    total = 0.0
    for step in range(100):
        ids, labels = make_batch()
        loss = F.cross_entropy(model(ids.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    history.append(total / 100)
    print(f"epoch {epoch:3d}  loss {history[-1]:.4f}")

torch.save(model.state_dict(), "model.pt")


# ---- masks ----

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    lengths = torch.as_tensor(lengths)
    return torch.arange(max_len, device=lengths.device)[None, :] >= lengths[:, None]


def run_layer(layer, x, lengths, causal):
    T = x.size(1)
    mask = causal_mask(T).to(x.device) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, T).to(x.device))
