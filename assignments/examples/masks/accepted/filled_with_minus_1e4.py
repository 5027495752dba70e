"""Additive masks of -1e4, which large scores do not overcome."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = -1e4 * padding_mask(lengths, x.shape[1]).to(x.dtype)
    mask = -1e4 * causal_mask(x.shape[1]).to(x.dtype) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padded)
