"""What a student may run before handing in: the handout's own example."""

import pytest
import torch

from graders import fail, fresh_tensor, points, tensor

VOCAB, LENGTH = 10, 5


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
    model = student.build("CausalDecoder", VOCAB, 8, 2, 2, 6).eval()
    state = model.state_dict()
    for i, parameter in enumerate(model.parameters()):
        if parameter.name in state:
            value = state[parameter.name]
            state[parameter.name] = value + 0.3 * fresh_tensor(*value.shape, seed=i).to(value.dtype)
    model.load_state_dict(state)
    built[student.dtype] = model
    return model


@points(
    2, hint="The head is a linear layer from d_model to vocab_size at every position; no softmax after it."
)
def test_logits(student, model):
    """Ids of shape (2, 5) give finite logits of shape (2, 5, vocab_size) that follow the ids."""
    ids = torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 0]])
    logits = tensor(model(ids), shape=(2, LENGTH, VOCAB), dtype=student.dtype, what="the logits")
    if not bool(torch.isfinite(logits).all()):
        fail("The logits hold NaN or infinities.", got=logits)
    if torch.equal(logits[0], logits[1]):
        fail("Two rows of other tokens got the same logits.", got=logits)
    ones = torch.ones(2, LENGTH, dtype=logits.dtype)
    for name, values in (("probabilities", logits), ("logarithms of probabilities", logits.exp())):
        if torch.allclose(values.sum(dim=-1), ones, atol=1e-5) and bool((values >= 0).all()):
            fail(f"What came looks like {name}; logits were expected.", got=logits)


@points(
    2, hint="Block the future in every layer: torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)."
)
def test_last_token(model):
    """Changing the last token moves the logits at its own position, and at none before it."""
    ids = torch.tensor([[5, 7, 1, 3, 8], [5, 7, 1, 3, 2]])
    one, other = tensor(model(ids), shape=(2, LENGTH, VOCAB), what="the logits", finite=True)
    change = (other - one).abs().amax(dim=-1)
    if not float(change[:-1].max()) < 1e-6:
        fail(
            f"Only the last token was changed, and logits before it moved by {float(change[:-1].max()):.3g}."
        )
    if not float(change[-1]) > 1e-6:
        fail("The last token was changed, and the logits at its position did not move.")
