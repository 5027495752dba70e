"""Tests as a hurried author may write them: they handle whatever comes without a look at it."""

import torch

from graders import points


@points(1)
def test_unpacks(student):
    """Two tensors come."""
    first, second = student.pair(torch.ones(2, 3))
    assert first.shape == second.shape


@points(1)
def test_computes(student):
    """Their sum is twice the input."""
    answer = student.pair(torch.ones(2, 3))
    assert float((answer[0] + answer[1] - 2).abs().max()) == 0, "the sum is wrong"


@points(1)
def test_indexes(student):
    """The last element of each is one."""
    answer = student.pair(torch.ones(2, 3))
    assert answer[1][1, 2].item() == 1


@points(1)
def test_looks_up(student):
    """The answer can be looked up in a table."""
    assert {2: "two"}[len(student.pair(torch.ones(2, 3)))] == "two"
