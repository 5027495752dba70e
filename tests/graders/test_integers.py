"""Whole numbers and lists of them, as students' programs give them."""

import pytest
import torch

from graders import CheckFailure, integer, integer_lists
from graders.integers import whole
from sandbox.inside.values import Opaque


def opaque(type_name, text):
    return Opaque(1, type_name, False, text)


NUMPY_THREE = opaque("numpy.int64", "numpy.int64 with the value 3")


@pytest.mark.parametrize("value", [3, NUMPY_THREE, torch.tensor(3), torch.tensor(3, dtype=torch.uint8)])
def test_what_stands_for_three_is_three(value):
    assert integer(value) == 3


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (True, "the bool True came"),
        (64.0, "write 64, or divide with //"),
        ("64", "write 64 without quotes"),
        (None, "None came"),
        ((64,), "a tuple of 1 item came"),
        (torch.tensor([3]), "an int64 tensor of shape"),
        (opaque("ellipsis", "an object of type ellipsis"), "in place of the three dots"),
        (torch.tensor(True), "an int was expected"),
        (float("nan"), "float nan"),
        (opaque("numpy.float64", "numpy.float64 with the value 3.0"), "numpy.float64"),
        (opaque("int", "int of 71 bits"), "a smaller number was expected"),
        (opaque("Liar", "numpy.int64 with the value 3; DROP"), "an int was expected"),
    ],
)
def test_anything_else_is_refused_with_what_to_do(value, says):
    assert whole(value) is None
    with pytest.raises(CheckFailure, match=says.replace("(", r"\(")):
        integer(value, "`D_MODEL`")


@pytest.mark.parametrize(
    "value",
    [
        [[0, 2], [1]],
        ((0, 2), (1,)),
        [torch.tensor([0, 2]), torch.tensor([1])],
        [[0, torch.tensor(2)], (1,)],
    ],
)
def test_lists_may_be_tuples_and_tensors(value):
    assert integer_lists(value, "the batches", one="batch") == [[0, 2], [1]]


def test_nothing_and_a_square_are_lists_too():
    assert integer_lists([]) == []
    assert integer_lists(torch.tensor([[0, 1], [2, 3]])) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([0, 1], "batch 0: the int 0 came; a list of ints was expected"),
        ([[0], ["1"]], "item 0 of batch 1"),
        (None, "a list of lists was expected"),
        (opaque("generator", "an object of type generator"), "put list"),
        ([opaque("set", "an object of type set")], "put list"),
        (opaque("collections.deque", "an object of type collections.deque"), "put list"),
        ([opaque("numpy.ndarray", "numpy.ndarray of shape (2,), int64")], "use .tolist"),
        ([torch.tensor([0.5])], "a list of ints was expected"),
    ],
)
def test_lists_of_other_things_are_refused(value, says):
    with pytest.raises(CheckFailure, match=says):
        integer_lists(value, "the batches", one="batch")
