"""One row needs no padding mask."""

import torch


def causal_mask(length):
    """Return (target, source), True where the source is in the target's future."""
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths, max_len):
    """Return (batch, max_len), True at padding."""
    return torch.arange(max_len, device=lengths.device) >= lengths.unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    """Return the layer's output, (batch, length, d_model)."""
    length = x.shape[1]
    return layer(
        x,
        src_mask=causal_mask(length).to(x.device) if causal else None,
        src_key_padding_mask=padding_mask(lengths, length).to(x.device) if len(x) > 1 else None,
    )
