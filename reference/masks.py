"""The two masks of a transformer layer, and the layer run with both."""

import torch
from torch import Tensor, nn


def causal_mask(length: int) -> Tensor:
    """Return a boolean mask (target, source), True where the source lies in the target's future."""
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """Return a boolean mask (batch, max_len), True at padding.

    `lengths` (batch,) holds each row's number of real tokens; the padding stands on the right.
    """
    positions = torch.arange(max_len, device=lengths.device)  # (max_len,)
    return positions >= lengths.unsqueeze(1)  # (batch, max_len)


def run_layer(layer: nn.TransformerEncoderLayer, x: Tensor, lengths: Tensor, causal: bool) -> Tensor:
    """Return `layer(x)`, (batch, length, d_model), where no target looks at padding.

    `layer` has `batch_first=True` and `x` is (batch, length, d_model). With `causal`, no target looks
    at its future either. The outputs at padded positions mean nothing.
    """
    length = x.shape[1]
    return layer(  # type: ignore[no-any-return]
        x,
        src_mask=causal_mask(length).to(x.device) if causal else None,
        src_key_padding_mask=padding_mask(lengths.to(x.device), length),
    )
