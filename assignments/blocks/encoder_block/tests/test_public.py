"""What a student may run before handing in: what a block is without weights, and padding."""

import pytest
import torch

from graders import close, fail, fresh_tensor, points, tensor

D_MODEL, NUM_HEADS, DIM_FEEDFORWARD = 8, 2, 20


@pytest.fixture(scope="module")
def built():
    """The block of the submission that is graded now, so that it is built once."""
    return {}


@pytest.fixture
def pre_norm(student, built):
    """A block with the norms first, in evaluation mode."""
    shared = student.dtype in built and built[student.dtype].asked_by(student)
    if not shared:
        shared = student.build("EncoderBlock", D_MODEL, NUM_HEADS, DIM_FEEDFORWARD, True).eval()
        built[student.dtype] = shared
    return shared


@points(
    1, hint="True in key_padding_mask means padding: hand it to the attention, which blocks these sources."
)
def test_padding_example(pre_norm):
    """With the last token of three marked as padding, the first two outputs do not depend on it."""
    x = fresh_tensor(1, 3, D_MODEL, seed=1).repeat(3, 1, 1)
    x[1, 2], x[2, 1] = x[1, 2].flip(0) + 1, x[2, 1].flip(0) + 1
    mask = torch.tensor([[False, False, True]]).repeat(3, 1)
    output = tensor(pre_norm(x, None, mask), shape=(3, 3, D_MODEL), what="the output")
    tensor(output[:, :2], what="the outputs of the real tokens", finite=True)
    change = (output[1, :2] - output[0, :2]).abs().amax()
    if not change < 1e-5:
        fail(f"Only the padding was changed, and an output before it moved by {float(change):.3g}.")
    if not (output[2, 0] - output[0, 0]).abs().amax() > 1e-6:
        fail("The second token, which is not padding, was changed, but the first output did not move.")


@points(
    3,
    hint="x = x + attention(norm(x)), then x = x + feed_forward(norm(x)): without weights, x stays as it is.",
)
def test_identity_without_weights(pre_norm):
    """With the norms first and all its weights zero, a block gives back its input: the residuals carry it."""
    x = fresh_tensor(2, 5, D_MODEL, seed=2)
    before = tensor(pre_norm(x), shape=x.shape, dtype=x.dtype, what="the output")
    if torch.equal(before, x):
        fail("Even with weights, the block gives back its input: no sublayer does anything.")
    state = pre_norm.state_dict()
    # Next to nothing, and not zero, since some divide by the length of a weight.
    pre_norm.load_state_dict({k: 1e-12 * v if v.is_floating_point() else v for k, v in state.items()})
    close(pre_norm(x), x, what="the output", atol=1e-5)
