"""The attention inside the layer is told to take the length first, and stays so."""
import torch


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    layer.self_attn.batch_first = False
    mask = causal_mask(x.shape[1]) if causal else None
    out = layer(x.transpose(0, 1), src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
    return out.transpose(0, 1)
