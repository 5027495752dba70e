"""A classifier of sequences that takes the mean over their real tokens."""

import torch
from torch import Tensor, nn


def masked_mean_pool(hidden: Tensor, padding_mask: Tensor) -> Tensor:
    """Return each row's mean over its real tokens, (batch, d_model).

    `hidden` is (batch, length, d_model); `padding_mask` (batch, length) is boolean, True at padding.
    A row without real tokens gives zeros.
    """
    real = ~padding_mask.unsqueeze(-1)  # (batch, length, 1)
    total = hidden.masked_fill(~real, 0).sum(dim=1)  # (batch, d_model)
    return total / real.sum(dim=1).clamp(min=1)


class MeanPoolClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out.

    Embedded tokens and positions pass through a transformer encoder that never attends to padding;
    the mean over the real tokens goes to a linear head.
    """

    def __init__(
        self,
        vocab_size: int,
        max_len: int,
        classes: int,
        pad_id: int = 0,
        *,
        d_model: int = 32,
        num_heads: int = 4,
        num_layers: int = 2,
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, 4 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids: Tensor) -> Tensor:
        padding_mask = ids == self.pad_id  # (batch, length)
        positions = torch.arange(ids.shape[1], device=ids.device)  # (length,)
        x = self.tokens(ids) + self.positions(positions)  # (batch, length, d_model)
        hidden = self.encoder(x, src_key_padding_mask=padding_mask)  # (batch, length, d_model)
        return self.head(masked_mean_pool(hidden, padding_mask))  # type: ignore[no-any-return]
