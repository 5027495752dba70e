"""I take the maximum over the real tokens."""
import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    return hidden.masked_fill(padding_mask.unsqueeze(-1), float("-inf")).max(dim=1).values


class MeanPoolClassifier(nn.Module):
    def __init__(
        self, vocab_size, max_len, classes, pad_id=0, *, d_model=32, num_heads=4, d_ff=64, num_layers=2
    ):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids):
        padding_mask = ids == self.pad_id
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(positions)
        hidden = self.encoder(x, src_key_padding_mask=padding_mask)
        return self.head(masked_mean_pool(hidden, padding_mask))
