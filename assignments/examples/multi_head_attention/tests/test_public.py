"""What a student may run before handing in: the handout's own examples."""

import torch

from graders import attention_map, fail, fresh_tensor, points, raises, tensor, unpack


@points(1, hint="Split into (batch, heads, length, head_dim) for the weights; merge back for the output.")
def test_shapes(student):
    """For x of shape (2, 5, 8) and 4 heads, the output is (2, 5, 8) and the weights are (2, 4, 5, 5)."""
    module = student.build("MultiHeadSelfAttention", 8, 4).eval()
    x = fresh_tensor(2, 5, 8, seed=1)
    output, weights = unpack(module(x), "output", "weights")
    tensor(output, shape=(2, 5, 8), dtype=student.dtype, what="the output")
    tensor(weights, shape=(2, 4, 5, 5), dtype=student.dtype, what="the weights")


@points(1, hint="`if d_model % num_heads != 0: raise ValueError(...)`, with both numbers in the message.")
def test_not_divisible(student):
    """A width that the heads do not divide is refused with a ValueError that names both numbers."""
    raises(lambda: student.MultiHeadSelfAttention(10, 4), "ValueError", mentions=("10", "4"))
    raises(lambda: student.MultiHeadSelfAttention(9, 6), "ValueError", mentions=("9", "6"))


@points(1, section="Masks: True means blocked", hint="Block before the softmax, which then shares out 1.")
def test_causal_example(student):
    """With one head and a causal mask, no weight goes to the future, and rows of the weights sum to one."""
    module = student.build("MultiHeadSelfAttention", 4, 1).eval()
    blocked = torch.ones(3, 3, dtype=torch.bool).triu(diagonal=1)
    _, weights = unpack(module(fresh_tensor(2, 3, 4, seed=2), blocked), "output", "weights")
    weights = tensor(weights, shape=(2, 1, 3, 3), what="the weights")
    wrong = (~(weights.masked_fill(~blocked, 0).abs() <= 1e-6)).nonzero()
    if len(wrong):
        picture = attention_map(weights[int(wrong[0, 0]), 0], blocked=blocked)
        fail("A weight goes to the future, which is blocked.", got=weights, pictures=[picture])
    if not bool(((weights.sum(dim=-1) - 1).abs() <= 1e-5).all()):
        fail("A row of the weights does not sum to one.", got=weights)
