"""What a student may run before handing in."""

import math
import random

import torch
from hypothesis import strategies as st

from graders import cases, close, fail, fresh_tensor, held, points, tensor


@points(2, hint="Print the weights for three tokens: every row must be zero right of the diagonal.")
def test_three_tokens(student):
    """Of three tokens, changing the last moves only the last output, and the first gets its own value."""
    x, w_qkv, w_out = fresh_tensor(1, 3, 8, seed=1), fresh_tensor(8, 24, seed=2), fresh_tensor(8, 8, seed=3)
    other = torch.cat([x[:, :2], 1 - x[:, 2:]], dim=1)
    answer = student.decoder_attention(torch.cat([x, other]), w_qkv, w_out, 2)
    before, after = tensor(answer, shape=(2, 3, 8), finite=True)
    close(before[0], (x @ w_qkv[:, 16:] @ w_out)[0, 0], what="the first token's output")
    change = float((after - before)[:2].abs().max())
    if not change <= 1e-5:
        fail(f"Only token 2 was changed, and the output at token 0 or 1 moved by {change:.3g}.")
    if not float((after - before)[2].abs().max()) > 1e-4:
        fail("Token 2 was changed, but its own output did not move.")


def attention_with(diagonal):
    """One head with weights of its own; the mask begins at `diagonal`.

    It computes in float64, so that the length of what comes in changes no output by its rounding.
    """
    # Small weights: no score is so large that what a token sees of the next one is lost in rounding.
    w_qkv = fresh_tensor(8, 24, seed=4, dtype=torch.float64) / 2

    def attention(x):
        query, key, value = (x.double() @ w_qkv).chunk(3, dim=-1)
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal)
        scores = query @ key.transpose(-2, -1) / 8**0.5
        return (scores.masked_fill(future, -math.inf).softmax(-1) @ value).to(x.dtype)

    return attention


# Whoever tests long sequences or large batches may.
BOUNDS = {"elements": 2**16, "longest": 2**10}


@points(2, hint="Change the tokens from some position on, and compare all outputs before it.")
@cases(st.integers(1000, 2**32 - 1), n=1)
def test_your_test_on_two_attentions(student, seed):
    """test_no_future rejects an attention in which each token sees the next one, and accepts a causal one."""
    # One of the two twice, in an order that is drawn: only the answers tell which is which.
    generator = random.Random(seed)
    wrong = generator.sample([True, False, generator.random() < 0.5], 3)
    said = student.rejects_each(
        "test_no_future", *((held(attention_with(1 + leaks), **BOUNDS),) for leaks in wrong)
    )
    if (True, False) in zip(wrong, map(bool, said), strict=True):
        returned = said[wrong.index(True)].instead
        fail(f"Your test let an attention pass in which each token sees the one after it.{returned}")
    if (False, True) in zip(wrong, map(bool, said), strict=True):
        fail("Your test rejected an attention that is causal.")
