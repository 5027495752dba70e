"""With causal only the causal mask: padding on the right is in every real token's future anyway."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    if causal:
        return layer(x, src_mask=causal_mask(x.size(1)))
    return layer(x, src_key_padding_mask=padding_mask(lengths, x.size(1)))
