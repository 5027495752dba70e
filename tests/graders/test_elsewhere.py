"""A second guest of a submission: it knows nothing of the first, and is the same in all but text's hashes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from graders import guests as guests_module
from graders.calls import Record
from graders.guests import Guests
from graders.student import Student
from sandbox import Program, Sandbox

SOURCE = """
import random
import torch
from torch import nn

ASKED = []
TABLE = random.random(), torch.rand(1).item()
print("loaded")

def times_asked():
    ASKED.append(1)
    return len(ASKED)

def table():
    return TABLE

def hashes():
    texts = [hash("a"), hash(b"a"), hash(("a", 1)), hash("a") == hash("a")]
    return texts, [hash(3), hash((1, 2.5)), hash(None)]

def hangs():
    while True:
        pass

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fixed = torch.randn(width)
"""


@pytest.fixture
def guests(sandbox: Sandbox) -> Iterator[Guests]:
    with Guests(sandbox, {}, (Program("script", "work.py", (SOURCE,)),), seconds=60.0) as guests:
        guests.begin_check()
        yield guests
        guests.end_check()


@pytest.fixture
def student(guests: Guests) -> Student:
    return Student(
        lambda name: guests.find(name, "module"),
        torch.float64,
        7,
        Record(),
        second=lambda name: guests.find(name, "module", second=True),
    )


def test_the_second_guest_does_not_know_what_the_first_was_asked(student: Student) -> None:
    assert [student.times_asked(), student.times_asked()] == [1, 2]
    assert student.elsewhere.times_asked() == 1
    assert student.times_asked() == 3


def test_it_stays_the_same_guest_for_all_that_is_asked_elsewhere(student: Student) -> None:
    assert [student.elsewhere.times_asked(), student.elsewhere.times_asked()] == [1, 2]


def test_what_loading_draws_at_random_is_the_same(student: Student) -> None:
    assert student.elsewhere.table() == student.table()


def test_texts_hash_otherwise_and_numbers_do_not(student: Student) -> None:
    (*texts, repeats), numbers = student.hashes()
    (*others, also_repeats), same_numbers = student.elsewhere.hashes()
    assert not {*texts} & {*others}
    assert (repeats, numbers) == (also_repeats, same_numbers)
    assert repeats


def test_a_module_is_made_again_with_the_same_random_numbers(student: Student) -> None:
    student.times_asked()  # moves the stream of random numbers
    net = student.build("Net", 3)
    again = net.made_again(student.elsewhere)
    assert torch.equal(net.method("__getattribute__", "fixed"), again.method("__getattribute__", "fixed"))


def test_what_takes_long_to_load_is_not_loaded_twice(
    student: Student, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guests_module, "QUICK", 0.0)
    student.times_asked()
    assert student.elsewhere.times_asked() == 2


def test_what_both_guests_use_is_counted(student: Student, guests: Guests) -> None:
    student.times_asked()
    guests.end_check()
    guests.begin_check()
    student.elsewhere.times_asked()
    spent = guests.end_check()
    assert spent.seconds > 0
    assert spent.stdout == ""  # what loading prints has been shown once
