"""Exercise: a tiny transformer classifier. Hand in this file; see handout.md for what counts.

In the mask True means padding.
"""

import torch
from torch import nn


class TinyTransformerClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out."""

    def __init__(self, vocab_size, max_len, classes):
        super().__init__()
        # TODO: embeddings of tokens and positions, an encoder, a head
        raise NotImplementedError("TinyTransformerClassifier is still to be written")

    def forward(self, ids, padding_mask=None):
        # TODO: a ValueError for ids and lengths out of range
        # TODO: embed tokens and positions                  (batch, length, d_model)
        # TODO: encode, with padding blocked as a source    (batch, length, d_model)
        # TODO: pool the real tokens                        (batch, d_model)
        # TODO: the head                                    (batch, classes)
        raise NotImplementedError("TinyTransformerClassifier.forward is still to be written")


if __name__ == "__main__":
    model = TinyTransformerClassifier(vocab_size=10, max_len=6, classes=3).eval()
    print(model(torch.tensor([[5, 7]])))
    padding_mask = torch.tensor([[False, False, True, True]])
    print(model(torch.tensor([[5, 7, 0, 0]]), padding_mask))  # expected: the same
