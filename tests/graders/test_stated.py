"""What shape a text gives as its answer: phrasings as students write them."""

import time

import pytest
import torch

from graders.stated import stated_shape
from tests.graders.phrasings import (
    COMMIT_TO_ANOTHER,
    COMMIT_TO_THE_RIGHT_ONE,
    MEAN_ANOTHER,
    SAY_ANOTHER,
    SAY_NONE,
    SAY_RIGHT,
)

INPUT = (8, 32, 128)
RIGHT = (8, 32, 32)


@pytest.mark.parametrize("text", COMMIT_TO_ANOTHER)
def test_the_right_shape_that_is_only_guessed_or_taken_back_is_no_answer(text):
    assert stated_shape(text, INPUT).sizes != RIGHT


@pytest.mark.parametrize("text", COMMIT_TO_THE_RIGHT_ONE)
def test_the_shape_that_a_text_commits_itself_to_in_the_end_is_its_answer(text):
    assert stated_shape(text, INPUT).sizes == RIGHT


@pytest.mark.parametrize("text", SAY_RIGHT)
def test_the_right_shape_is_read_however_it_is_written(text):
    assert stated_shape(text, INPUT).sizes == RIGHT


@pytest.mark.parametrize(("text", "sizes"), SAY_ANOTHER)
def test_another_shape_that_is_claimed_is_read_as_it_is(text, sizes):
    assert stated_shape(text, INPUT).sizes == sizes


@pytest.mark.parametrize("text", SAY_NONE)
def test_a_text_that_claims_no_shape_or_two_gives_none(text):
    assert stated_shape(text, INPUT).sizes is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It's 8x32x32.", "8  ×  32  ×  32"),
        ("B x T x T = 8 x 32 x 32", "8 × 32 × 32"),
        ("the sizes 8 by 32 by 32", "8 by 32 by 32"),
        ("batch 8, target 32, source 32", "batch 8, target 32, source 32"),
    ],
)
def test_what_is_quoted_is_no_cut_fragment(text, shown):
    assert " ".join(stated_shape(text, INPUT).text.split()) == " ".join(shown.split())


@pytest.mark.parametrize(
    "value",
    [
        (8, 32, 32),
        [8, 32, 32],
        torch.Size([8, 32, 32]),
        torch.tensor([8, 32, 32]),
        ("8", "32", "32"),
        {"batch": 8, "target": 32, "source": 32},
    ],
)
def test_a_value_is_read_as_well(value):
    assert stated_shape(value).sizes == RIGHT


@pytest.mark.parametrize(
    "value", [None, 8, 8.0, True, {}, (), {"b": None}, [8, None], (True, 32), torch.ones(2, 2), b"8"]
)
def test_a_value_that_is_no_shape_gives_none(value):
    assert stated_shape(value).sizes is None


@pytest.mark.parametrize(
    "text", ["(" * 20_000, "8 x " * 5_000, "[8]" * 6_000, "(8, 32, 32) " * 1_500, "not " * 5_000]
)
def test_odd_texts_are_read_in_bounded_time(text):
    started = time.process_time()
    stated_shape(text, INPUT)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    MEAN_ANOTHER,
)
def test_what_means_another_shape_is_never_read_as_the_right_one(text):
    assert stated_shape(text, INPUT).sizes not in (RIGHT, None)
