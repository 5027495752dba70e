"""One mask of 512 at the top, cut to size; longer sequences get too small a mask."""
import torch

MASK = torch.triu(torch.ones(512, 512, dtype=torch.bool), diagonal=1)


def causal_mask(length):
    return MASK[:length, :length]


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
