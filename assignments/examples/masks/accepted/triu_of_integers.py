"""triu of an integer tensor, turned into booleans; padding by expand."""
import torch

def causal_mask(length):
    return torch.ones((length, length), dtype=torch.int64).triu(1) == 1


def padding_mask(lengths, max_len):
    steps = torch.arange(max_len, dtype=lengths.dtype).expand(lengths.shape[0], max_len)
    return ~(steps < lengths.view(-1, 1))


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.shape[1]) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.shape[1]))
