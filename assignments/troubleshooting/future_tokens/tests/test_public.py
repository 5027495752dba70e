"""What a student may run before handing in."""

import math

import torch

from graders import close, fail, fresh_tensor, held, points, tensor


@points(2, hint="Print the weights for three tokens: every row must be zero right of the diagonal.")
def test_three_tokens(student):
    """Of three tokens, changing the last moves only the last output, and the first gets its own value."""
    x, w_qkv, w_out = fresh_tensor(1, 3, 8, seed=1), fresh_tensor(8, 24, seed=2), fresh_tensor(8, 8, seed=3)
    other = torch.cat([x[:, :2], 1 - x[:, 2:]], dim=1)
    before, after = tensor(student.decoder_attention(torch.cat([x, other]), w_qkv, w_out, 2), shape=(2, 3, 8))
    close(before[0], (x @ w_qkv[:, 16:] @ w_out)[0, 0], what="the first token's output")
    change = float((after - before)[:2].abs().max())
    if not change <= 1e-5:
        fail(f"Only token 2 was changed, and the output at token 0 or 1 moved by {change:.3g}.")
    if not float((after - before)[2].abs().max()) > 1e-4:
        fail("Token 2 was changed, but its own output did not move.")


def attention_with(diagonal):
    """One head with weights of its own; the mask begins at `diagonal`."""
    w_qkv = fresh_tensor(8, 24, seed=4, dtype=torch.float64)

    def attention(x):
        query, key, value = (x @ w_qkv.to(x.dtype)).chunk(3, dim=-1)
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal)
        scores = query @ key.transpose(-2, -1) / 8**0.5
        return scores.masked_fill(future, -math.inf).softmax(-1) @ value

    return attention


@points(2, hint="Change the tokens from some position on, and compare all outputs before it.")
def test_your_test_on_two_attentions(student):
    """test_no_future rejects an attention in which each token sees the next one, and accepts a causal one."""
    leaky, causal = student.rejects_each(
        "test_no_future", (held(attention_with(diagonal=2)),), (held(attention_with(diagonal=1)),)
    )
    if not leaky:
        fail("Your test let an attention pass in which each token sees the one after it.")
    if causal:
        fail("Your test rejected an attention that is causal.")
