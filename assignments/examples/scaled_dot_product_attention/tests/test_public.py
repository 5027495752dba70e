"""What a student may run before handing in: the handout's own examples."""

import torch

from graders import close, fail, fresh_tensor, points, tensor, unpack


@points(1, hint="Return both: `return context, weights`.")
def test_context_and_weights(student):
    """The context and the weights come back, in this order and with the right shapes."""
    query, key, value = (fresh_tensor(2, *shape, seed=i) for i, shape in enumerate([(3, 4), (5, 4), (5, 6)]))
    context, weights = unpack(student.scaled_dot_product_attention(query, key, value), "context", "weights")
    tensor(context, shape=(2, 3, 6), what="the context")
    tensor(weights, shape=(2, 3, 5), what="the weights")
    answer = student.scaled_dot_product_attention(query.flip(-1), key, 2 * value)
    for what, before, after in zip(
        ("context", "weights"), (context, weights), unpack(answer, "context", "weights"), strict=True
    ):
        if torch.equal(before, tensor(after, shape=before.shape, what=f"the {what}")):
            fail(f"Query and value were changed, but the {what} came out the same.")


@points(2, hint="Scores are query · key, divided by √d_k; the softmax turns each target's row into weights.")
def test_lesson_numbers(student):
    """For query = key = value = [[1, 0], [0, 1]] the weights are [[0.6698, 0.3302], [0.3302, 0.6698]]."""
    x = torch.eye(2, dtype=student.dtype)
    context, weights = unpack(student.scaled_dot_product_attention(x, x, x), "context", "weights")
    expected = torch.tensor([[0.6698, 0.3302], [0.3302, 0.6698]], dtype=student.dtype)
    close(weights, expected, what="the weights", atol=5e-5, rtol=0)  # the lesson prints four decimals
    close(context, expected, what="the context", atol=5e-5, rtol=0)


@points(2, hint="Block before the softmax: fill the scores with -inf wherever the mask is True.")
def test_masked_example(student):
    """The handout's example with a mask gives the handout's numbers."""
    query = torch.tensor([[1, 0], [0, 1], [1, 1]], dtype=student.dtype)
    key = torch.tensor([[1, 0], [0, 1]], dtype=student.dtype)
    value = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=student.dtype)
    mask = torch.tensor([[False, True], [False, False], [True, False]])
    expected_context = torch.tensor([[1, 2, 3], [3.0093, 4.0093, 5.0093], [4, 5, 6]], dtype=student.dtype)
    expected_weights = torch.tensor([[1, 0], [0.3302, 0.6698], [0, 1]], dtype=student.dtype)
    context, weights = unpack(
        student.scaled_dot_product_attention(query, key, value, mask), "context", "weights"
    )
    close(weights, expected_weights, what="the weights", atol=5e-5, rtol=0)  # the handout's four decimals
    close(context, expected_context, what="the context", atol=5e-5, rtol=0)
