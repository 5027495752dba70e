"""The mask and the hint is_causal together; the layer is called through an encoder-like loop."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    kwargs = {"src_key_padding_mask": padding_mask(lengths, x.shape[1])}
    if causal:
        kwargs.update(src_mask=causal_mask(x.shape[1]), is_causal=True)
    return layer(x, **kwargs)
