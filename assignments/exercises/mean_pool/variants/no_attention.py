"""I average the embeddings; there is no encoder yet."""
import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    real = ~padding_mask.unsqueeze(-1)
    total = hidden.masked_fill(~real, 0).sum(dim=1)
    return total / real.sum(dim=1).clamp(min=1)


class MeanPoolClassifier(nn.Module):
    def __init__(
        self, vocab_size, max_len, classes, pad_id=0, *, d_model=32, num_heads=4, d_ff=64, num_layers=2
    ):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, d_model)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids):
        padding_mask = ids == self.pad_id
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(positions)
        hidden = x
        return self.head(masked_mean_pool(hidden, padding_mask))
