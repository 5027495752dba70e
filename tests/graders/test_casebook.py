"""Cases: the same for one seed in every process, small ones first, and shrunk within a budget."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import strategies as st

from graders.casebook import SHRINK_EVALUATIONS, CaseBook, CaseError, cast, fingerprint, measure
from graders.checks import Cases, cases, points
from graders.fresh import fresh_tensor


@dataclass(frozen=True)
class Batch:
    x: torch.Tensor
    lengths: list[int] = field(default_factory=list)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    batch, length, width = draw(st.integers(1, 4)), draw(st.integers(1, 12)), draw(st.integers(1, 6))
    lengths = [draw(st.integers(1, length)) for _ in range(batch)]
    return Batch(fresh_tensor(batch, length, width, seed=draw(st.integers(0, 2**32))), lengths)


def source(strategy: Any, n: int = 25) -> Cases:
    return Cases(strategy, n, lambda: None, "case")


def draw(seed: int, check: str = "a/b", strategy: Any = None) -> tuple[Any, ...]:
    return CaseBook(seed).cases(check, source(batches() if strategy is None else strategy), torch.float64)


def shown(drawn: tuple[Any, ...]) -> list[Any]:
    return [fingerprint(case) for case in drawn]


def test_one_seed_draws_the_same_cases_and_another_others() -> None:
    assert shown(draw(1)) == shown(draw(1))
    assert shown(draw(1)) != shown(draw(2))
    assert shown(draw(1, "a/b")) != shown(draw(1, "a/c"))


def test_a_seed_draws_the_same_whatever_modules_are_loaded(tmp_path: Any) -> None:
    (tmp_path / "loaded.py").write_text("NUMBERS = [4711, 815, 123456, 31337, 271828]\n")
    program = """
import sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "more":
    import loaded
from hypothesis import strategies as st
import torch
from graders.casebook import CaseBook
from graders.checks import Cases
cases = Cases(st.lists(st.integers(), max_size=9), 100, print, "case")
drawn = CaseBook(3).cases("a/b", cases, torch.float64)
print(sorted(map(str, drawn)))
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), mode], capture_output=True, text=True, check=True
        ).stdout
        for mode in ("more", "less")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 1000


def test_cases_differ_and_come_in_order_of_size() -> None:
    drawn = draw(1)
    assert len(set(shown(drawn))) == len(drawn) > 15
    sizes = [measure(case) for case in drawn]
    assert sizes == sorted(sizes)


def test_a_small_strategy_gives_what_it_has() -> None:
    assert draw(1, strategy=st.booleans()) == (False, True)
    with pytest.raises(CaseError, match="gave no case at all"):
        draw(1, strategy=st.integers().filter(lambda _: False))


def test_cases_are_drawn_once_and_cast() -> None:
    book, given = CaseBook(1), source(batches())
    double, single = book.cases("a/b", given, torch.float64), book.cases("a/b", given, torch.float32)
    assert book.cases("a/b", given, torch.float64) is double
    assert {case.x.dtype for case in double} == {torch.float64}
    assert {case.x.dtype for case in single} == {torch.float32}
    assert [case.lengths for case in single] == [case.lengths for case in double]
    torch.testing.assert_close(single[5].x, double[5].x.float())


class Pair(NamedTuple):
    x: torch.Tensor
    n: int


class Plain:
    def __init__(self) -> None:
        self.x = torch.ones(1, dtype=torch.float64)
        self.ids = torch.ones(1, dtype=torch.int64)


def test_tensors_are_cast_wherever_they_are() -> None:
    one = torch.ones(1, dtype=torch.float64)
    nested = cast({"a": [Pair(one, 3), (Batch(one),)], "b": Plain(), "c": one.half()}, torch.float32)
    pair, (batch,) = nested["a"]
    assert isinstance(pair, Pair)
    assert {pair.x.dtype, batch.x.dtype, nested["b"].x.dtype} == {torch.float32}
    assert (nested["b"].ids.dtype, nested["c"].dtype) == (torch.int64, torch.float16)
    assert one.dtype == torch.float64


def shrunk(fails: Callable[[Batch], bool]) -> tuple[list[Batch], int]:
    """Shrink the largest drawn case that fails; return what failed on the way, and how many were tried."""
    book, given = CaseBook(5), source(batches())
    drawn = book.cases("a/b", given, torch.float64)
    failing = [index for index, case in enumerate(drawn) if fails(case)]
    found, tried = [], 0

    def attempt(case: Batch) -> bool:
        nonlocal tried
        tried += 1
        if fails(case):
            found.append(case)
        return fails(case)

    book.shrink("a/b", given, torch.float64, failing[-1], fails=attempt, seconds=30)
    return found, tried


def test_shrinking_finds_the_smallest_case() -> None:
    found, tried = shrunk(lambda case: case.x.shape[1] >= 3)
    assert tuple(found[-1].x.shape) == (1, 3, 1)
    assert tried <= SHRINK_EVALUATIONS
    sizes = [measure(case) for case in found]
    assert sizes == sorted(sizes, reverse=True)


def test_shrinking_keeps_what_the_fault_needs() -> None:
    found, _ = shrunk(lambda case: case.x.shape[0] >= 2 and min(case.lengths) < max(case.lengths))
    assert found[-1].x.shape[0] == 2
    assert sorted(found[-1].lengths) == [1, 2]


def test_shrinking_stops_at_its_budget() -> None:
    tried = 0

    def slow(case: Batch) -> bool:
        nonlocal tried
        tried += 1
        time.sleep(0.05)
        return True

    book, given = CaseBook(5), source(batches())
    count = len(book.cases("a/b", given, torch.float64))
    started = time.monotonic()
    book.shrink("a/b", given, torch.float64, count - 1, fails=slow, seconds=0.1)
    assert tried <= 4
    assert time.monotonic() - started < 5


def test_a_fault_that_comes_and_goes_does_no_harm() -> None:
    answers = iter([True, False] * 1000)
    book, given = CaseBook(5), source(batches())
    count = len(book.cases("a/b", given, torch.float64))
    book.shrink("a/b", given, torch.float64, count - 1, fails=lambda _: next(answers), seconds=5)


def test_decorators_refuse_what_they_cannot_use() -> None:
    with pytest.raises(ValueError, match="sequence of cases is empty"):
        cases([])
    with pytest.raises(TypeError, match="takes no parameter"):
        cases([1])(lambda: None)
    for wrong in (True, "4", -1, float("nan"), float("inf")):
        with pytest.raises(TypeError, match="a number of points, zero or more"):
            points(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'sometimes' is not a valid Visibility"):
        points(1, visibility="sometimes")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_cases_drawn_with_fresh_tensors_shrink_in_either_dtype(dtype: torch.dtype) -> None:
    book, given = CaseBook(3), source(batches())
    largest = len(book.cases("a/b", given, dtype)) - 1
    tried: list[Batch] = []

    def fails(case: Batch) -> bool:
        tried.append(case)
        assert fresh_tensor(1, seed=1).dtype is dtype
        return case.x.shape[1] >= 2

    book.shrink("a/b", given, dtype, largest, fails=fails, seconds=5.0)
    failing = [case for case in tried if case.x.shape[1] >= 2]
    assert failing
    assert failing[-1].x.dtype is dtype
    assert measure(failing[-1]) < measure(book.cases("a/b", given, dtype)[largest])


def test_what_shrinking_tries_is_not_remembered_when_it_is_over() -> None:
    book = CaseBook(1)
    drawn = book.cases("a/b", source(batches()), torch.float64)
    assert [book.tensors(case)[0] is case.x for case in drawn] == [True] * len(drawn)
    tried: list[weakref.ref[torch.Tensor]] = []

    def fails(case: Batch) -> bool:
        (tensor,) = book.tensors(case)
        tried.append(weakref.ref(tensor))
        return True

    book.shrink("a/b", source(batches()), torch.float64, len(drawn) - 1, fails=fails, seconds=5.0)
    gc.collect()
    assert len(tried) > 3
    kept = {id(case.x) for case in drawn}
    assert not [one for one in tried if (tensor := one()) is not None and id(tensor) not in kept]


def test_cases_that_are_drawn_again_are_looked_at_again() -> None:
    book = CaseBook(1)
    book.cases("a/b", source(batches()), torch.float64)
    book.forget("a/b")
    for case in book.cases("a/b", source(batches()), torch.float64):
        assert [tensor is case.x for tensor in book.tensors(case)] == [True]
