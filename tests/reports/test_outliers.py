"""Who stands out in time and memory: far above the class on the same check, by an amount that one feels."""

from __future__ import annotations

from typing import Any

import pytest

from graders.result import LoadResult, Result, Verdict
from reports import index_html
from reports.cohort import row_of
from reports.graded_checks import graded_checks
from reports.index_outliers import RULE
from reports.outliers import Outlier, outliers
from tests.reports.made_cohorts import SKIPPED, cohort
from tests.reports.page_tags import read_page

MB = 2**20


def class_of(size: int = 12, measured: dict[tuple[int, str], dict[str, Any]] | None = None) -> list[Result]:
    return cohort({"a": [1.0] * size, "b": [1.0] * size, "c": [1.0] * size}, measured=measured)


def found(results: list[Result]) -> tuple[Outlier, ...]:
    return outliers(graded_checks([row_of(result) for result in results]))


def said(one: Outlier) -> tuple[str, str, str]:
    return one.row.student_id, one.kind, one.check.title if one.check else ""


def test_a_class_that_is_alike_has_nobody_who_stands_out() -> None:
    assert found(class_of()) == ()


def test_processor_time_stands_out_with_the_check_where_it_went() -> None:
    slow = {"seconds": 2.5, "cpu_seconds": 2.4}
    (one,) = found(class_of(measured={(3, "b"): slow, (3, "c"): {"seconds": 2.0, "cpu_seconds": 1.9}}))
    assert said(one) == ("s0003", "time", "The check b.")
    assert (one.value, one.more) == (2.5, 1)
    assert one.cpu_seconds == pytest.approx(2.4)
    assert one.usual == pytest.approx(0.02)


@pytest.mark.parametrize(("seconds", "stands_out"), [(4.9, False), (5.1, True)])
def test_time_without_computing_stands_out_only_when_no_busy_machine_explains_it(
    seconds: float, stands_out: bool
) -> None:
    assert bool(found(class_of(measured={(0, "a"): {"seconds": seconds}}))) is stands_out


@pytest.mark.parametrize(("cpu_seconds", "stands_out"), [(1.0, False), (1.02, True)])
def test_less_than_the_floor_above_the_median_is_nothing(cpu_seconds: float, stands_out: bool) -> None:
    slow = {"seconds": cpu_seconds, "cpu_seconds": cpu_seconds}
    assert bool(found(class_of(measured={(0, "a"): slow}))) is stands_out


def test_where_the_class_itself_is_spread_one_must_lie_six_spreads_above_it() -> None:
    # 0, 1, …, 10 seconds: the median is 5 and the median deviation 3, so that 5 + 6 × 1.4826 × 3 = 31.7.
    def spread(last: float) -> list[Result]:
        taken = [*map(float, range(10)), last]
        return class_of(11, {(n, "a"): {"seconds": s, "cpu_seconds": s} for n, s in enumerate(taken)})

    assert found(spread(31.0)) == ()
    assert [said(one) for one in found(spread(32.0))] == [("s0010", "time", "The check a.")]


def test_memory_is_told_of_the_check_that_took_it_and_not_of_those_after_it() -> None:
    big = {"peak_memory_bytes": 400 * MB}
    (one,) = found(class_of(measured={(5, "b"): big, (5, "c"): big | {"peak_memory_bytes": 405 * MB}}))
    assert said(one) == ("s0005", "memory", "The check b.")
    assert (one.value, one.usual) == (405 * MB, 20 * MB)


def test_loading_counts_too() -> None:
    results = class_of()
    results[4] = results[4].model_copy(update={"load": LoadResult(path="a.py", kind="script", seconds=9.0)})
    (one,) = found(results)
    assert (one.row.student_id, one.check, one.value) == ("s0004", None, 9.0)


def test_the_farthest_comes_first_and_time_before_memory() -> None:
    measured = {
        (1, "a"): {"seconds": 3.0, "cpu_seconds": 3.0},
        (2, "a"): {"seconds": 9.0, "cpu_seconds": 0.1, "verdict": Verdict.TIMEOUT, "points": 0.0},
        (3, "a"): {"peak_memory_bytes": 900 * MB},
    }
    assert [said(one)[:2] for one in found(class_of(measured=measured))] == [
        ("s0002", "time"),
        ("s0001", "time"),
        ("s0003", "memory"),
    ]


def test_a_check_that_was_not_reached_or_not_measured_takes_nothing() -> None:
    unknown = {(n, "b"): {"peak_memory_bytes": None} for n in range(12)}
    assert found(class_of(measured=unknown)) == ()
    assert found(cohort({"a": [SKIPPED] * 12, "b": [1.0] * 12})) == ()


@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_too_few_have_nobody_who_stands_out(size: int) -> None:
    slow = {(0, "a"): {"seconds": 60.0, "cpu_seconds": 60.0, "peak_memory_bytes": 9000 * MB}}
    assert found(class_of(size, slow)) == ()


def test_the_page_names_who_stands_out_with_the_check_and_the_rule() -> None:
    slow = {"seconds": 7.5, "cpu_seconds": 7.25}
    results = class_of(measured={(3, "b"): slow})
    page = read_page(index_html(results, {"s0003": "reports/s0003.html"}))
    assert RULE in page.text
    assert "Time 7.5 s, 7.2 s of it computing 20 ms The check b." in " ".join(
        " ".join(td.text for td in page.all("td")).split()
    )
    assert any(a.attributes["href"] == "reports/s0003.html#check-2" for a in page.all("a"))


def test_the_page_says_that_nobody_stands_out_or_that_there_are_too_few_to_tell() -> None:
    assert "Nobody stands out." in read_page(index_html(class_of(), {})).text
    few = read_page(index_html(class_of(2), {})).text
    assert "2 graded submissions are too few to tell who stands out: it takes 10." in few
