import torch
import torch.nn as nn
import math

def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights

def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).bool()

def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= torch.tensor(lengths).unsqueeze(1)

def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.size(1)) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.size(1)))

def masked_mean_pool(hidden, padding_mask):
    keep = ~padding_mask
    return (hidden * keep.unsqueeze(-1)).sum(1) / keep.sum(1, keepdim=True)
