"""What a student may run before handing in: the handout's own examples."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from graders import RemoteModule, fail, points, raises, tensor

VOCAB, MAX_LEN, CLASSES = 17, 8, 3


IDS = torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [10, 7, 8, 9, 16], [6, 6, 6, 6, 6]])


@pytest.fixture(scope="module")
def built():
    """The model of the submission that is graded now, so that it is built and asked once."""
    return {}


@dataclass
class Model:
    """The student's model in evaluation mode."""

    module: RemoteModule
    known: Tensor | None = None

    def __call__(self, ids, *masks):
        return tensor(self.module(ids, *masks), shape=(len(ids), CLASSES), what="the logits")

    def logits(self):
        """Its logits for IDS, asked once for all checks."""
        if self.known is None:
            self.known = self(IDS)
        return self.known


@pytest.fixture
def model(student, built):
    found = built.get(student.dtype)
    module = found and found.module.asked_by(student)
    if module is None:
        module = student.build("TinyTransformerClassifier", VOCAB, MAX_LEN, CLASSES).eval()
        found = built[student.dtype] = Model(module)
    found.module = module
    return found


@points(2, hint="The head is a linear layer from d_model to classes, on one vector per row; no softmax.")
def test_logits(student, model):
    """Ids of shape (4, 5) give finite logits of shape (4, classes), not probabilities."""
    logits = tensor(model.logits(), dtype=student.dtype, what="the logits")
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    ones = torch.ones(4, dtype=logits.dtype)
    for name, values in (("probabilities", logits), ("logarithms of probabilities", logits.exp())):
        if torch.allclose(values.sum(dim=-1), ones, atol=1e-5) and bool((values >= 0).all()):
            fail(f"Every row looks like {name}; logits were expected.", got=logits)


@points(1, hint="`if ids.shape[1] > self.max_len: raise ValueError(...)`; compare ids.max() as well.")
def test_out_of_range(model):
    """An id beyond the vocabulary and a row longer than max_len are refused with a ValueError."""
    raises(lambda: model.module(torch.tensor([[1, 2], [3, 40]])), "ValueError", mentions=("40",))
    raises(lambda: model.module(torch.ones(2, 9, dtype=torch.long)), "ValueError", mentions=("9", "8"))


@points(1, hint="Block padding in the attention, and leave it out of the pooling.")
def test_padding_columns(model):
    """Padding after the last token, marked by the mask, changes no logit."""
    ids = torch.cat([IDS, IDS[:, :3] + 1], dim=1)
    padding_mask = torch.arange(MAX_LEN).expand(4, MAX_LEN) >= 5
    answers = model.logits(), model(ids, padding_mask)
    short, long = (tensor(logits, what="the logits", finite=True) for logits in answers)
    change = float((long - short).abs().max())
    if change > 1e-5:
        model(IDS)  # once more, for the diagnosis of this check
        fail(
            f"Three columns of padding were added, and a logit moved by {change:.3g}.",
            inputs={"ids": ids, "padding_mask": padding_mask},
        )
