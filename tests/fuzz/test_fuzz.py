"""A bounded share of what `make fuzz` does, with the same inputs each time; and all that it has found."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.fuzz.properties import Hangs, Violated, failure, nothing_left, sentence
from tests.fuzz.running import Keeper, Report, run_here
from tests.fuzz.targets import FOUND, TARGETS, Target

DAMAGED, BUILT = 100, 25  # per target: about a minute for all of them


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_are_refused_in_one_clear_sentence(name: str, tmp_path: Path) -> None:
    report = run_here(TARGETS[name], seed=4, mutated=DAMAGED, built=BUILT, folder=tmp_path)
    assert not report.broken
    assert report.runs["damaged"] == DAMAGED
    assert report.runs["Hypothesis"] >= min(BUILT, 10)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*-*")), ids=lambda path: path.name)
def test_what_was_found_stays_mended(path: Path) -> None:
    error = failure(TARGETS[path.name.partition("-")[0]].check, path.read_bytes())
    assert error is None, error


def target(check: object) -> Target:
    return Target("planted", check, lambda: [b"good"], lambda rng, corpus: rng.choice((b"good", b"bad")))  # type: ignore[arg-type]


def crash(data: bytes) -> None:
    if data == b"bad":
        raise KeyError(data)


def unclear(data: bytes) -> None:
    if data == b"bad":
        sentence('Traceback (most recent call last): File "x.py".')


@pytest.mark.parametrize("check", [crash, unclear])
def test_what_breaks_is_told_and_kept(check: object, tmp_path: Path) -> None:
    report = run_here(target(check), seed=1, mutated=20, built=0, folder=tmp_path)
    assert report.broken
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"bad"]


def test_what_hangs_is_told() -> None:
    error = failure(lambda _: time.sleep(60), b"", seconds=0.2)
    assert isinstance(error, Hangs)


def test_a_descriptor_left_open_is_told() -> None:
    with pytest.raises(Violated, match="1 descriptors"), nothing_left():
        left = os.open("/dev/null", os.O_RDONLY)
    os.close(left)


def test_memory_left_behind_is_told() -> None:
    with pytest.raises(Violated, match="MiB of memory"), nothing_left():
        kept = bytearray(b"x" * 200 * 2**20)
    del kept


def test_few_of_each_kind_are_kept(tmp_path: Path) -> None:
    report = Report()
    keeper = Keeper("answer", report, tmp_path)
    for number in range(50):
        keeper.keep(b"%d" % number, ValueError(f"line {number}"))
    assert len(report.broken) == len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "short",
            "no end",
            "two\nlines are not one sentence.",
            "an \x1b[31mescape sequence.",
            "x" * 5000 + ".",
        ),
        *(
            "Traceback (most recent call last) was found.",
            "it lies in /usr/lib/python3/x.",
            "left\u202eright is odd.",
        ),
    ],
)
def test_what_is_no_clear_sentence(text: str) -> None:
    with pytest.raises(Violated):
        sentence(text)


def test_what_is_a_clear_sentence() -> None:
    sentence("hw.zip holds nothing that can be read; hand in the .py file itself.", "hw.zip")
