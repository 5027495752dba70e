"""What is said of a student's own test, and how much it may hand over."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from graders import CheckFailure, judge_test
from graders.rejecting import Rejection
from graders.student import Student


class Answers:
    """A student whose test always says the same."""

    def __init__(self, answer: Rejection) -> None:
        self.answer, self.lent = answer, list[Any]()

    def rejects_each(self, name: str, *groups: tuple[Any, ...]) -> list[Rejection]:
        assert name == "test_it"
        self.lent += [one for group in groups for one in group]
        return [self.answer] * len(groups)


def judged(answer: Rejection, **bounds: int) -> tuple[str, list[Any]]:
    student = Answers(answer)
    with pytest.raises(CheckFailure) as failure:
        judge_test(
            cast("Student", student), "test_it", {"right": torch.sin}, {"wrong": torch.cos}, seed=1, **bounds
        )
    return failure.value.message, student.lent


def test_a_test_that_returns_its_answer_is_told_to_raise() -> None:
    said, _ = judged(Rejection(False, returned=False))
    assert said.startswith("Your test let pass: wrong. It returned the bool False: it must raise")


def test_a_test_that_returns_nothing_is_told_nothing_of_it() -> None:
    assert judged(Rejection(False))[0] == "Your test let pass: wrong."


def test_a_test_that_rejects_is_told_what_it_rejected() -> None:
    assert judged(Rejection(True, "moved"))[0] == "Your test rejected: right."


def test_what_it_may_hand_over_is_bounded_by_the_check() -> None:
    _, lent = judged(Rejection(False), elements=100, longest=10)
    assert [(one.elements, one.longest) for one in lent] == [(100, 10)] * 2
