"""Exercise: a decoder whose past never moves. Hand in this file; see handout.md for what counts."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    """Token ids (batch, length) in, logits (batch, length, vocab_size) out."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        # TODO: embeddings of tokens and positions, num_layers layers, a head
        raise NotImplementedError("CausalDecoder is still to be written")

    def forward(self, ids):
        # TODO: refuse what is too long or unknown with a ValueError
        # TODO: embed tokens and positions                              (batch, length, d_model)
        # TODO: a causal mask, for every layer                          (length, length)
        # TODO: the layers, then the head                               (batch, length, vocab_size)
        raise NotImplementedError("CausalDecoder.forward is still to be written")


if __name__ == "__main__":
    model = CausalDecoder(vocab_size=10, d_model=8, num_heads=2, num_layers=2, max_len=6).eval()
    one, other = model(torch.tensor([[5, 7, 1]])), model(torch.tensor([[5, 7, 2]]))
    print((other - one)[0].abs().amax(dim=-1))  # expected: 0, 0 and another number
