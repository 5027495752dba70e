"""The layer gets additive masks with -inf, in the dtype of x."""
import torch

def causal_mask(length):
    return torch.full((length, length), float("-inf")).triu(1) < 0


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def additive(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, float("-inf"))


def run_layer(layer, x, lengths, causal):
    padded = additive(padding_mask(lengths, x.size(1)), x.dtype)
    if not causal:
        return layer(x, src_key_padding_mask=padded)
    return layer(x, src_mask=additive(causal_mask(x.size(1)), x.dtype), src_key_padding_mask=padded)
