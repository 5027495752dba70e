"""Exercise 3: the figures that are shown are PyTorch's own, and no width makes the grader allocate much."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from graders import CheckFailure
from graders.assignment import find_assignment

from .conftest import load

EXERCISE = find_assignment("exercises/model_size").exercises[0]


@pytest.fixture(scope="module")
def hidden():
    return load(EXERCISE.hidden_tests)


def student(**values):
    facts = {}
    return SimpleNamespace(value=values.get, fact=facts.__setitem__, facts=facts)


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize(("d_model", "num_heads"), [(1, 1), (64, 4), (64, 64), (96, 6), (4096, 32)])
def test_counts_are_those_of_the_modules(hidden, d_model, num_heads):
    with torch.device("meta"):
        attention = nn.MultiheadAttention(d_model, num_heads)
        layer = nn.TransformerEncoderLayer(d_model, num_heads)
    assert hidden.attention_parameters(d_model) == count(attention)
    assert hidden.layer_parameters(d_model) == count(layer)


def test_a_step_is_measured_once(hidden):
    first = hidden.step_milliseconds(64, 4)
    assert first > 0
    assert hidden.step_milliseconds(64, 4) == first


def test_a_very_wide_model_is_not_built(hidden):
    one = student(D_MODEL=65_536, NUM_HEADS=64)
    hidden.test_heads_share_the_width(one)
    assert one.facts["one training step of nn.MultiheadAttention, on one core"].startswith("not measured")
    assert one.facts["parameters of nn.MultiheadAttention"].startswith("17,180,131,328")


def test_extremes_are_noted_and_pass(hidden):
    for sizes, note in (((8, 1), "single head"), ((8, 8), "single number")):
        one = student(D_MODEL=sizes[0], NUM_HEADS=sizes[1])
        hidden.test_heads_share_the_width(one)
        assert note in one.facts["width of a head"]


@pytest.mark.parametrize(("sizes", "says"), [((100, 8), "12.5 wide"), ((4, 64), "changed places")])
def test_a_width_that_cannot_be_shared_is_told(hidden, sizes, says):
    with pytest.raises(CheckFailure, match=says):
        hidden.test_heads_share_the_width(student(D_MODEL=sizes[0], NUM_HEADS=sizes[1]))
