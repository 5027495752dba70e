"""What a student may run before handing in: the handout's own examples."""

import pytest
import torch

from graders import close, fail, fresh_tensor, points, tensor

VOCAB, MAX_LEN, CLASSES = 11, 8, 3


IDS = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0], [8, 9, 0, 0], [10, 0, 0, 0], [4, 4, 4, 4]])


def ask(module, ids):
    return tensor(module(ids), shape=(len(ids), CLASSES), what="the logits", finite=True)


def moved(before, after):
    """The largest change; NaN counts as infinite."""
    return float((after - before).abs().nan_to_num(nan=torch.inf).max())


def move(module):
    """Move the parameters: what starts at zero would hide everything."""
    state = module.state_dict()
    for i, parameter in enumerate(module.parameters()):
        if parameter.name in state:
            value = state[parameter.name]
            state[parameter.name] = value + 0.3 * fresh_tensor(*value.shape, seed=i).to(value.dtype)
    module.load_state_dict(state)


@pytest.fixture(scope="module")
def built():
    """The model of the submission that is graded now, so that it is built and asked once."""
    return {}


@pytest.fixture
def model(student, built):
    """The model in evaluation mode, and its logits for IDS."""
    if student.dtype in built:
        module, logits = built[student.dtype]
        module = module.asked_by(student)
        if module is not None:
            return module, logits
    module = student.build("MeanPoolClassifier", VOCAB, MAX_LEN, CLASSES).eval()
    logits = ask(module, IDS)
    if not moved(logits[0], logits[4]) > 1e-6:
        move(module)
        logits = ask(module, IDS)
        if not moved(logits[0], logits[4]) > 1e-6:
            fail("The tokens of a row were replaced by others, but the logits came out the same.")
    built[student.dtype] = module, logits
    return module, logits


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
    logits = tensor(model[1], dtype=student.dtype, what="the logits")
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    ones = torch.ones(5, dtype=logits.dtype)
    for name, values in (("probabilities", logits), ("logarithms of probabilities", logits.exp())):
        if torch.allclose(values.sum(dim=-1), ones, atol=1e-5) and bool((values >= 0).all()):
            fail(f"Every row looks like {name}; logits were expected.", got=logits)


@points(1, hint="Find the padding by ids == pad_id; use it in the attention and in the mean.")
def test_padding_columns(model):
    """Padding after the last token changes no logit."""
    module, expected = model
    long = torch.cat([IDS, torch.zeros(5, 3, dtype=torch.long)], dim=1)
    got = ask(module, long)
    change = moved(expected, got)
    if change > 1e-5:
        fail(f"Three columns of padding were added, and a logit moved by {change:.3g}.", inputs={"ids": long})
