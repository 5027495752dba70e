"""Troubleshooting: out of memory on long batches. Mend what is wrong and write the test; see handout.md."""

import math

import torch
import torch.nn.functional as F  # noqa: F401

# %% [markdown]
# The program below gives the right values, and needs the whole table of scores to do so. Mend it.

# %%


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    """Return the context (batch, heads, targets, d_v)."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (batch, heads, targets, sources)
    if causal:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
        scores = scores.masked_fill(future, -math.inf)
    return scores.softmax(dim=-1) @ value


# %% [markdown]
# A test to keep: it raises an AssertionError where an attention in chunks has other values than attention, and
# returns where it has the same.

# %%


def test_same_values(attention):
    """Fail where attention(query, key, value, causal=..., chunk_size=...) has other values than attention."""
    # TODO
    raise NotImplementedError("test_same_values is still to be written")
