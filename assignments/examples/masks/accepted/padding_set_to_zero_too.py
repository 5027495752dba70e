"""Padding is masked as a source; in the output it is set to zero as well."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = padding_mask(lengths, x.shape[1])
    mask = causal_mask(x.shape[1]) if causal else torch.zeros(x.shape[1], x.shape[1], dtype=torch.bool)
    out = layer(x, src_mask=mask, src_key_padding_mask=padded)
    return out.masked_fill(padded.unsqueeze(-1), 0.0)
