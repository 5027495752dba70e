"""I write zeros into the padding of x itself; the masks are right."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = padding_mask(lengths, x.shape[1])
    with torch.no_grad():
        x[padded] = 0.0
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padded)
