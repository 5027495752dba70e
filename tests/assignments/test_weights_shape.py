"""Exercise 1: the answer is what PyTorch gives, and near misses are told apart."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from graders import CheckFailure
from graders.assignment import find_assignment

from .conftest import load

EXERCISE = find_assignment("exercises/weights_shape").exercises[0]


def student(written="", value=None):
    facts = []
    return SimpleNamespace(
        written=written,
        has=lambda _: value is not None,
        value=lambda _: value,
        fact=lambda name, text: facts.append((name, text)),
        facts=facts,
    )


@pytest.fixture(scope="module")
def check():
    return load(EXERCISE.hidden_tests).test_shape_of_averaged_weights


def test_the_solution_is_what_pytorch_gives():
    x = torch.randn(8, 32, 128)
    with torch.no_grad():
        _, weights = nn.MultiheadAttention(128, 4, batch_first=True)(x, x, x)
    assert weights.shape == load(EXERCISE.solutions[0]).AVERAGED_WEIGHTS_SHAPE


@pytest.mark.parametrize("value", [(8, 32, 32), "8 x 32 x 32", torch.Size([8, 32, 32])])
def test_the_right_shape_passes_as_a_value(check, value):
    check(student(value=value))


def test_what_was_read_is_shown(check):
    one = student("The averaged weights are 8×32×32.")
    check(one)
    assert one.facts == [("the answer that was read", "8 × 32 × 32, from your text")]


def test_the_name_counts_where_both_are_there(check):
    with pytest.raises(CheckFailure):
        check(student("(8, 32, 32)", value=(8, 32, 128)))


def test_the_right_shape_beside_one_of_each_head_is_read_in_favour(check):
    check(student("head weights (8, H, 32, 32), mean weights (8, 32, 32)"))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("(8, H, 32, 32)", "each head"),
        ("(4, 8, 32, 32)", "each head"),
        ("(8, 32, 128)", "shape of the output"),
        ("(32, 8, 8)", "changed places"),
        ("(8, 32)", "one number for each token"),
        ("32 x 32", "one sequence"),
        ("(8, 128, 128)", "between features"),
        ("(8, 1, 32, 32)", "removes their axis"),
        ("(5, 6, 7)", "One axis was expected for the batch"),
        ("The answer is (8, 32, 32). The answer is (8, 32, 128).", "More than one shape"),
    ],
)
def test_near_misses_are_told_apart(check, written, says):
    with pytest.raises(CheckFailure, match=says) as failure:
        check(student(written))
    assert failure.value.earned == 0


def test_letters_without_numbers_earn_a_half(check):
    with pytest.raises(CheckFailure, match="axes are right") as failure:
        check(student("The shape is (B, T, T)."))
    assert failure.value.earned == 0.5
