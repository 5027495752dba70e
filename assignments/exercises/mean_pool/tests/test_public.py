"""What a student may run before handing in: the handout's own examples."""

import pytest
import torch

from graders import close, fail, fresh_tensor, points, tensor

VOCAB, MAX_LEN, CLASSES = 11, 8, 3


@pytest.fixture(scope="module")
def built():
    """The model of the submission that is graded now, so that it is built once."""
    return {}


@pytest.fixture
def model(student, built):
    """The model in evaluation mode, its parameters moved: what starts at zero would hide everything."""
    shared = student.dtype in built and built[student.dtype].asked_by(student)
    if shared:
        return shared
    model = student.build("MeanPoolClassifier", VOCAB, MAX_LEN, CLASSES).eval()
    model(torch.tensor([[1, 3], [2, 3]]))  # lazy layers have no parameters before
    state = model.state_dict()
    for i, parameter in enumerate(model.parameters()):
        if parameter.name in state:
            value = state[parameter.name]
            state[parameter.name] = value + 0.3 * fresh_tensor(*value.shape, seed=i).to(value.dtype)
    model.load_state_dict(state)
    one, two = (tensor(model(torch.tensor([[token, 3]])), what="the logits") for token in (1, 2))
    if torch.equal(one, two):
        fail("Token 1 was replaced by token 2, but the logits came out the same.")
    built[student.dtype] = model
    return model


@points(1, hint="Add up the real tokens only, and divide by how many there are.")
def test_pool_example(student):
    """The mean over [1, 2] and [3, 4], with one padded token after them, is [2, 3]."""
    hidden = torch.tensor([[[1, 2], [3, 4], [9, 9]]], dtype=student.dtype)
    padding_mask = torch.tensor([[False, False, True]])
    expected = torch.tensor([[2, 3]], dtype=student.dtype)
    # A small eps in the denominator is no mistake.
    close(student.masked_mean_pool(hidden, padding_mask), expected, what="the mean", atol=1e-4)


@points(2, hint="The head is a linear layer from d_model to classes; no softmax after it.")
def test_logits(student, model):
    """Ids of shape (5, 4) give finite logits of shape (5, classes), not probabilities."""
    ids = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0], [8, 9, 0, 0], [10, 0, 0, 0], [4, 4, 4, 4]])
    logits = tensor(model(ids), shape=(5, CLASSES), dtype=student.dtype, what="the logits")
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    ones = torch.ones(5, dtype=logits.dtype)
    for name, values in (("probabilities", logits), ("logarithms of probabilities", logits.exp())):
        if torch.allclose(values.sum(dim=-1), ones, atol=1e-5) and bool((values >= 0).all()):
            fail(f"Every row looks like {name}; logits were expected.", got=logits)


@points(1, hint="Find the padding by ids == pad_id; use it in the attention and in the mean.")
def test_padding_columns(model):
    """Padding after the last token changes no logit."""
    short = torch.tensor([[5, 7], [3, 0], [2, 9]])
    long = torch.cat([short, torch.zeros(3, 3, dtype=torch.long)], dim=1)
    expected = tensor(model(short), shape=(3, CLASSES), what="the logits")
    got = tensor(model(long), shape=(3, CLASSES), what="the logits")
    change = float((got - expected).abs().nan_to_num(nan=torch.inf).max())
    if change > 1e-5:
        fail(f"Three columns of padding were added, and a logit moved by {change:.3g}.", inputs={"ids": long})
