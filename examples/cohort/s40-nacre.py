import torch
import torch.nn as nn
import torch.nn.functional as F

# Q, K, V: (batch, length, dim)
def scaled_dot_product_attention(query, key, value, mask=None):
    batch, length, dim = query.shape
    scores = torch.bmm(query, key.permute(0, 2, 1)) / dim ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = F.softmax(scores, dim=2)
    return torch.bmm(weights, value), weights

# 1 = future
def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).bool()

# 1 = padding
def padding_mask(lengths, max_len):
    ids = torch.arange(max_len).unsqueeze(0).repeat(len(lengths), 1)
    return ids >= torch.as_tensor(lengths).unsqueeze(1)

def run_layer(layer, x, lengths, causal):
    pad = padding_mask(lengths, x.shape[1])
    if causal:
        return layer(x, src_mask=causal_mask(x.shape[1]), src_key_padding_mask=pad)
    else:
        return layer(x, src_key_padding_mask=pad)

def masked_mean_pool(hidden, padding_mask):
    keep = 1 - padding_mask.int()
    return (hidden * keep.unsqueeze(2)).sum(1) / keep.sum(1).unsqueeze(1)

class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, 32, padding_idx=pad_id)
        self.positional = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model=32, nhead=4, dim_feedforward=128, batch_first=True), num_layers=2)
        self.fc1 = nn.Linear(32, 32)
        self.fc2 = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.embedding(ids) + self.positional(torch.arange(ids.shape[1]))
        x = self.encoder(x, src_key_padding_mask=pad)
        x = masked_mean_pool(x, pad)
        return self.fc2(F.relu(self.fc1(x)))
