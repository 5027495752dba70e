"""What a student may run before handing in: the handout's own examples."""

import pytest
import torch

from graders import fail, points, raises, tensor

VOCAB, MAX_LEN, CLASSES = 17, 8, 3


@pytest.fixture(scope="module")
def built():
    """The model of the submission that is graded now, so that it is built once."""
    return {}


@pytest.fixture
def model(student, built):
    found = built.get(student.dtype)
    module = found and found.asked_by(student)
    if module is None:
        module = student.build("TinyTransformerClassifier", VOCAB, MAX_LEN, CLASSES).eval()
    built[student.dtype] = module
    return module


@points(2, hint="The head is a linear layer from d_model to classes, on one vector per row; no softmax.")
def test_logits(student, model):
    """Ids of shape (4, 5) give finite logits of shape (4, classes), not probabilities."""
    ids = torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [0, 7, 8, 9, 16], [6, 6, 6, 6, 6]])
    logits = tensor(model(ids), shape=(4, CLASSES), dtype=student.dtype, what="the logits")
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    ones = torch.ones(4, dtype=logits.dtype)
    for name, values in (("probabilities", logits), ("logarithms of probabilities", logits.exp())):
        if torch.allclose(values.sum(dim=-1), ones, atol=1e-5) and bool((values >= 0).all()):
            fail(f"Every row looks like {name}; logits were expected.", got=logits)


@points(1, hint="`if ids.shape[1] > self.max_len: raise ValueError(...)`; compare ids.max() as well.")
def test_out_of_range(model):
    """An id beyond the vocabulary and a row longer than max_len are refused with a ValueError."""
    raises(lambda: model(torch.tensor([[1, 2], [3, 40]])), "ValueError", mentions=("40",))
    raises(lambda: model(torch.ones(2, 9, dtype=torch.long)), "ValueError", mentions=("9", "8"))


@points(1, hint="Block padding in the attention, and leave it out of the pooling.")
def test_padding_columns(model):
    """Padding after the last token, marked by the mask, changes no logit."""
    ids = torch.tensor([[5, 7, 3, 9, 4], [3, 1, 2, 0, 6]])
    padding_mask = torch.arange(5).expand(2, 5) >= 2
    short = tensor(model(ids[:, :2]), shape=(2, CLASSES), what="the logits")
    long = tensor(model(ids, padding_mask), shape=(2, CLASSES), what="the logits")
    change = float((long - short).abs().nan_to_num(nan=torch.inf).max())
    if change > 1e-5:
        fail(f"Three columns of padding were added, and a logit moved by {change:.3g}.", inputs={"ids": ids})
