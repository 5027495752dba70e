"""I let each token see the last twenty only."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, num_heads, 4 * d_model, batch_first=True)
            for _ in range(num_layers)
        )
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        length = ids.shape[1]
        if length > self.max_len:
            raise ValueError(f"{length} ids came, but max_len is {self.max_len}")
        if ids.min() < 0 or ids.max() >= self.vocab_size:
            raise ValueError(f"ids must be from 0 to {self.vocab_size - 1}")
        x = self.tokens(ids) + self.positions(torch.arange(length, device=ids.device))
        mask = torch.ones(length, length, dtype=torch.bool, device=ids.device).triu(diagonal=1)
        mask = mask | torch.ones_like(mask).tril(-20)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.head(x)


if __name__ == "__main__":
    model = CausalDecoder(vocab_size=10, d_model=8, num_heads=2, num_layers=2, max_len=6).eval()
    one, other = model(torch.tensor([[5, 7, 1]])), model(torch.tensor([[5, 7, 2]]))
    print((other - one)[0].abs().amax(dim=-1))
