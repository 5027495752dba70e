"""Additive masks from PyTorch, always float32."""
import torch

def causal_mask(length):
    return torch.nn.Transformer.generate_square_subsequent_mask(length).isinf()


def padding_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    padded = padding_mask(lengths, x.size(1)).float().masked_fill(padding_mask(lengths, x.size(1)), float("-inf"))
    mask = torch.nn.Transformer.generate_square_subsequent_mask(x.size(1)) if causal else None
    return layer(x, mask, padded)
