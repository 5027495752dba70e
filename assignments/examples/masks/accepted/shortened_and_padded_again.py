"""Columns that are padding in every row are cut off and put back as zeros."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    longest = int(lengths.max())
    mask = causal_mask(longest) if causal else None
    out = layer(x[:, :longest], src_mask=mask, src_key_padding_mask=padding_mask(lengths, longest))
    return torch.cat([out, torch.zeros_like(x[:, longest:])], dim=1)
