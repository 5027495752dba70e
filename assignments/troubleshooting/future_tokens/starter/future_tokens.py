"""Troubleshooting: future tokens visible. Mend what is wrong and write the test; see handout.md."""

import math

import torch

# %% [markdown]
# The program below runs and has the right shapes, but tokens see their future. Mend it.

# %%
# True means blocked.
FUTURE = torch.ones(16, 16, dtype=torch.bool).triu(diagonal=2)


def decoder_attention(x, w_qkv, w_out, num_heads):
    """Return causal multi-head self-attention of x, (batch, length, d_model)."""
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    query, key, value = (
        part.view(batch, length, num_heads, head_dim).transpose(1, 2) for part in (x @ w_qkv).chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)  # (batch, heads, target, source)
    masked = FUTURE[:length, :length]
    size = len(masked)
    scores[..., :size, :size] = scores[..., :size, :size].masked_fill(masked, -math.inf)
    context = scores.softmax(dim=-1) @ value
    return context.transpose(1, 2).reshape(batch, length, d_model) @ w_out


# %% [markdown]
# A test to keep: it raises an AssertionError where an output depends on a later token, and returns where none does.


# %%
def test_no_future(attention):
    """Fail where an output of attention, (batch, length, 8) to the same, depends on a later token."""
    # TODO
    raise NotImplementedError("test_no_future is still to be written")
