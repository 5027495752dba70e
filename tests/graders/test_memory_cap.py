"""`student.memory_cap`: what a student reads, and what a check learns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from graders.calls import Record
from graders.student import Student
from sandbox import Guest, Program, Sandbox, StudentRaised

SOURCE = """
import torch
def scores(query, key):
    return (query @ key.T).amax()
def wrong(query, key):
    raise ValueError("no")
calls = []
def larger_at_first(query, key):
    calls.append(1)
    scores(torch.ones(2048, 4), torch.ones(2048, 4)) if len(calls) == 1 else None
    return len(calls)
class Scores(torch.nn.Module):
    def forward(self, query, key):
        return scores(query, key)
"""
MIB = 2**20


@pytest.fixture
def student(sandbox: Sandbox) -> Iterator[Student]:
    with sandbox.guest({}, Program("script", "work.py", (SOURCE,))) as guest:
        yield _student(guest)


def _student(guest: Guest) -> Student:
    guest.start_check()
    return Student(lambda _: guest, torch.float64, 7, Record())


def rows(count: int) -> torch.Tensor:
    return torch.ones(count, 4, dtype=torch.float32)


def test_the_most_that_a_call_needed_is_known(student: Student) -> None:
    with student.memory_cap(8 * MIB) as memory:
        student.scores(rows(100), rows(100))
        student.scores(rows(1000), rows(1000))
    assert 3.5 * MIB < memory.peak_bytes < 6 * MIB
    assert memory.peak.endswith(" MiB")


@pytest.mark.parametrize("through", ["a function", "a module"])
def test_a_call_that_asks_for_more_is_told_both_numbers_and_its_line(student: Student, through: str) -> None:
    ask = student.scores if through == "a function" else student.build("Scores")
    with pytest.raises(StudentRaised) as caught, student.memory_cap(8 * MIB):
        ask(rows(2048), rows(2048))
    assert caught.value.memory
    assert (
        caught.value.message
        == "this call may use 8 MiB of memory, and in the end it asked for 16 MiB at once"
    )
    assert caught.value.traceback[-1].strip() == "return (query @ key.T).amax()"


def test_what_fails_once_is_asked_once_more(student: Student) -> None:
    """Chance is no student's fault; what needs too much does so each time."""
    with student.memory_cap(8 * MIB):
        assert student.larger_at_first(rows(1), rows(1)) == 2


def test_outside_it_there_is_no_cap(student: Student) -> None:
    with student.memory_cap(8 * MIB):
        student.scores(rows(10), rows(10))
    assert student.scores(rows(2048), rows(2048)) == 4


def test_other_exceptions_are_the_students_own(student: Student) -> None:
    with pytest.raises(StudentRaised, match="ValueError: no"), student.memory_cap(8 * MIB):
        student.wrong(rows(1), rows(1))
