"""What a student may run before handing in."""

import random

import torch
from hypothesis import strategies as st

from graders import cases, close, fail, fresh_tensor, held, points, raises


@points(2, hint="view(batch, length, num_heads, head_dim) first, then transpose(1, 2).")
def test_two_tokens_two_heads(student):
    """Two heads of two tokens with four features hold two features of each; 10 and 4 raise a ValueError."""
    x = fresh_tensor(1, 2, 4, seed=1)
    close(student.split_heads(x, 2), torch.stack([x[..., :2], x[..., 2:]], dim=1), what="split_heads(x, 2)")
    raises(lambda: student.split_heads(fresh_tensor(1, 2, 10, seed=2), 4), "ValueError", mentions=("10", "4"))


def split(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be shared out among {num_heads} heads")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge(x):
    return torch.cat(x.unbind(1), dim=-1)


def split_by_view(x, num_heads):
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{d_model} features cannot be shared out among {num_heads} heads")
    return x.reshape(batch, num_heads, length, d_model // num_heads)


# No table grows with the square of what these get: wide models and large batches are cheap.
BOUNDS = {"elements": 2**18, "longest": 2**12}


@points(2, hint="Write down what a small input must give, and compare with that.")
@cases(st.integers(1000, 2**32 - 1), n=1)
def test_your_test_on_two_pairs(student, seed):
    """test_heads rejects a pair that splits by a view without transposing, and accepts a right one."""
    # One of the two twice, in an order that is drawn: only the answers tell which is which.
    generator = random.Random(seed)
    wrong = generator.sample([True, False, generator.random() < 0.5], 3)
    pairs = ((held(split_by_view if one else split, **BOUNDS), held(merge, **BOUNDS)) for one in wrong)
    said = student.rejects_each("test_heads", *pairs)
    if (True, False) in zip(wrong, map(bool, said), strict=True):
        returned = said[wrong.index(True)].instead
        fail(f"Your test let a split_heads pass that is a view without a transpose.{returned}")
    if (False, True) in zip(wrong, map(bool, said), strict=True):
        fail("Your test rejected a pair that does what the handout says.")
