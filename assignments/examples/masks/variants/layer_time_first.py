"""I transpose x as if the layer wanted (length, batch, d_model)."""
import torch

def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[0]) if causal else None
    padded = padding_mask(lengths, x.shape[1]).t()
    return layer(x.transpose(0, 1), src_mask=mask, src_key_padding_mask=padded).transpose(0, 1)
