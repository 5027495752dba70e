"""The dropout is switched off, for answers that can be repeated."""
import torch


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    layer.self_attn.dropout = 0.0
    for dropout in (layer.dropout, layer.dropout1, layer.dropout2):
        dropout.p = 0.0
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
