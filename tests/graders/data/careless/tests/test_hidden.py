"""Tests that are at fault themselves."""

import torch

from graders import cases, points


@points(1)
def test_at_fault(student):
    """This one raises whatever comes."""
    student.pair(torch.ones(2, 3))
    raise TypeError("a fault of the test")


@points(1)
def test_at_fault_at_once(student):
    """This one raises before it asks."""
    raise ValueError("a fault of the test")


@points(1, requires="test_at_fault")
def test_after_the_fault(student):
    """This one builds on a check that is at fault."""
    assert len(student.pair(torch.ones(2, 3))) == 2


@points(1)
@cases([torch.ones(2), torch.ones(3)])
def test_spoils_its_case(student, case):
    """This one changes its own case."""
    case.add_(1)
