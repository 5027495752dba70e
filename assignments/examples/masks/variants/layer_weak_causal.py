"""My causal mask for the layer adds -30, which large scores overcome."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = torch.zeros(len(x), x.shape[1], dtype=x.dtype).masked_fill(padding_mask(lengths, x.shape[1]), float("-inf"))
    mask = -30.0 * causal_mask(x.shape[1]).to(x.dtype) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padded)
