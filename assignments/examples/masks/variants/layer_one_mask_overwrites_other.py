"""Where rows are padded, my padding mask takes the place of the causal one."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = padding_mask(lengths, x.shape[1])
    if padded.any():
        return layer(x, src_key_padding_mask=padded)
    return layer(x, src_mask=causal_mask(x.shape[1]) if causal else None)
