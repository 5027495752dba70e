"""tril marks what may be seen and is turned round."""
import torch

def causal_mask(length):
    return ~torch.tril(torch.ones(length, length, dtype=torch.bool))


def padding_mask(lengths, max_len):
    real = torch.ones(len(lengths), max_len).cumsum(dim=1) <= lengths.reshape(-1, 1)
    return torch.logical_not(real)


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
