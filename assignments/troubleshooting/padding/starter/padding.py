"""Troubleshooting: outputs change when padding is added. Mend what is wrong and write the test; see handout.md."""

import math

import torch

# %% [markdown]
# The program below runs and has the right shapes, but its answers change when padding is added. Mend it.

# %%


def encode_batch(x, lengths, w_qkv):
    """Return (batch, d_model): self-attention over the real tokens of x, then their mean."""
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])  # (batch, target, source)
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)  # (batch, length)
    scores.masked_fill(padding.unsqueeze(1), -math.inf)
    context = scores.softmax(dim=-1) @ value
    return context.mean(dim=1)


# %% [markdown]
# A test to keep: it raises an AssertionError where padding changes an encoding, and returns where it does not.

# %%


def test_padding_is_inert(encode):
    """Fail where encode, from x (batch, length, 8) and lengths to (batch, 8), is changed by padding."""
    # TODO
    raise NotImplementedError("test_padding_is_inert is still to be written")
