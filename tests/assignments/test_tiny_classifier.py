"""The model answer against PyTorch run row by row, and the four examples as one assignment."""

import pytest
import torch

from graders.assignment import find_assignment

from .conftest import load

EXAMPLES = find_assignment("examples")
EXERCISE = EXAMPLES.exercises[-1]


def test_the_examples_come_in_the_order_of_the_lesson():
    assert [exercise.id for exercise in EXAMPLES.exercises] == [
        "scaled_dot_product_attention",
        "multi_head_attention",
        "masks",
        "tiny_classifier",
    ]
    assert EXAMPLES.points == sum(exercise.points for exercise in EXAMPLES.exercises)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return load(EXERCISE.solutions[0]).TinyTransformerClassifier(11, 8, 3).double().eval()


def test_a_padded_row_gets_what_it_gets_alone(model):
    ids = torch.tensor([[1, 2, 9, 9], [0, 4, 5, 6], [7, 3, 3, 3]])
    lengths = [2, 4, 1]
    padding_mask = torch.arange(4) >= torch.tensor(lengths).unsqueeze(1)
    logits = model(ids, padding_mask)
    for row, length in enumerate(lengths):
        x = model.tokens(ids[row, :length]) + model.positions(torch.arange(length))
        for layer in model.encoder.layers:
            x = layer(x.unsqueeze(0)).squeeze(0)
        torch.testing.assert_close(logits[row], model.head(x.mean(dim=0)))


@pytest.mark.parametrize(
    ("ids", "message"),
    [([[1, 11]], "id 11.*11"), ([[1, -2]], "id -2.*0"), ([[1] * 9], "length 9.*8")],
)
def test_what_is_out_of_range_is_refused(model, ids, message):
    with pytest.raises(ValueError, match=message):
        model(torch.tensor(ids))
