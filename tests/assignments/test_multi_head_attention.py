"""The model answer gives what the reference gives, and the handout's classes of mistakes are told apart."""

import torch

import reference
from graders.assignment import find_assignment

from .conftest import load

EXERCISE = find_assignment("examples/multi_head_attention").exercises[0]


def test_the_solution_gives_what_the_reference_gives():
    torch.manual_seed(0)
    own = load(EXERCISE.solutions[0]).MultiHeadSelfAttention(6, 3).double()
    expected = reference.MultiHeadSelfAttention(6, 3).double()
    expected.load_state_dict(own.state_dict())
    x = torch.randn(3, 5, 6, dtype=torch.float64)
    masks = reference.causal_mask(5), reference.padding_mask(torch.tensor([2, 5, 1]), 5)
    for arguments in ((x,), (x, masks[0]), (x, None, masks[1]), (x, *masks)):
        torch.testing.assert_close(own(*arguments), expected(*arguments))
