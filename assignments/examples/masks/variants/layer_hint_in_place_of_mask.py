"""I pass is_causal=True in place of the mask; it is only a hint."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    return layer(x, src_key_padding_mask=padding_mask(lengths, x.shape[1]), is_causal=causal)
