"""Exercise: a classifier that averages real tokens only. Hand in this file; see handout.md for what counts."""

import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    """Return (batch, d_model), the mean over each row's real tokens.

    hidden:       (batch, length, d_model)
    padding_mask: boolean (batch, length), True at padding
    """
    # TODO
    raise NotImplementedError("masked_mean_pool is still to be written")


class MeanPoolClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out."""

    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        # TODO: embeddings of tokens and positions, an encoder, a head
        raise NotImplementedError("MeanPoolClassifier is still to be written")

    def forward(self, ids):
        # TODO: find the padding                            (batch, length)
        # TODO: embed tokens and positions                  (batch, length, d_model)
        # TODO: encode, with padding blocked as a source    (batch, length, d_model)
        # TODO: average the real tokens                     (batch, d_model)
        # TODO: the head                                    (batch, classes)
        raise NotImplementedError("MeanPoolClassifier.forward is still to be written")


if __name__ == "__main__":
    model = MeanPoolClassifier(vocab_size=10, max_len=6, classes=3).eval()
    print(model(torch.tensor([[5, 7]])))
    print(model(torch.tensor([[5, 7, 0, 0, 0]])))  # expected: the same
