"""Exercise 5: the model solution's batches, counted here, and the reference that waste is compared with."""

import random
from collections import Counter

import pytest

import reference
from graders.assignment import find_assignment
from reference.batching import filled_in_order, positions

from .conftest import load

EXERCISE = find_assignment("exercises/batching").exercises[0]


@pytest.fixture(scope="module")
def make_batches():
    return load(EXERCISE.solutions[0]).make_batches


@pytest.mark.parametrize("seed", range(5))
def test_the_solution_keeps_every_sequence_and_the_budget(make_batches, seed):
    generator = random.Random(seed)
    lengths = [generator.randint(1, 40) for _ in range(generator.randint(0, 80))]
    batches = make_batches(lengths, 50, seed)
    assert Counter(index for batch in batches for index in batch) == Counter(range(len(lengths)))
    assert all(max(lengths[i] for i in batch) * len(batch) <= 50 for batch in batches)


def test_the_solution_is_the_reference(make_batches):
    lengths = [3, 50, 4, 48, 5, 3, 47, 4]
    assert make_batches(lengths, 100, 4) == reference.make_batches(lengths, 100, 4)


def test_padding_is_counted_up_to_the_longest():
    lengths = [2, 4, 3]
    assert positions([0, 1], lengths) == 8
    assert positions([], lengths) == 0
    assert reference.padded_share([[0, 1], [2]], lengths) == pytest.approx(1 - 9 / 11)
    assert reference.padded_share([], lengths) == 0


def test_batches_are_filled_in_order_until_the_budget():
    assert filled_in_order([0, 1, 2, 3], [2, 2, 5, 9], 6) == [[0, 1], [2], [3]]


def test_the_reference_wastes_far_less_than_a_shuffled_order():
    generator = random.Random(0)
    lengths = [generator.randint(1, 120) for _ in range(300)]
    shuffled = reference.padded_share(reference.shuffled_batches(lengths, 512), lengths)
    assert reference.padded_share(reference.make_batches(lengths, 512), lengths) < 0.3 * shuffled


def test_points_for_code_and_for_words_add_up():
    words = sum(item.points for item in EXERCISE.rubric)
    assert (words, EXERCISE.points) == (6, 14)
