"""A run over many: what stays in memory of a submission that is graded, and how often its Result is read."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import attest.rerun
import attest.running
from attest.entry import Confined, Device, Isolation
from attest.grade import grade_command
from attest.grade_request import GradeRequest
from graders.result import Result
from reports.cohort import Row, row_of
from tests.attest.conftest import RIGHT, WRONG

MANY = 24


@pytest.fixture
def request_for_many(doubling: Path, tmp_path: Path) -> GradeRequest:
    cohort = tmp_path / "many"
    cohort.mkdir()
    for number in range(MANY):
        (cohort / f"s{number}.py").write_text(f"# {number}\n{RIGHT if number % 3 else WRONG}")
    return GradeRequest(
        assignment=str(doubling),
        paths=(cohort,),
        out=tmp_path / "out",
        jobs=2,
        confined=Confined("bubblewrap", False, Isolation.GUEST, None, Device.CPU),
        seed=7,
        resume=False,
        force=False,
    )


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file of results is read."""
    found: Counter[str] = Counter()
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.parent.name == "results":
            found[path.name] += 1
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    return found


def results_in_memory() -> int:
    return sum(type(one) is Result for one in gc.get_objects())


def test_a_result_that_is_on_the_disk_is_not_kept_in_memory(
    request_for_many: GradeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.collect()  # of what other tests have left
    before, held = results_in_memory(), []

    def counting(result: Result) -> Row:
        held.append(results_in_memory() - before)
        return row_of(result)

    for module in (attest.running, attest.rerun):
        monkeypatch.setattr(module, "row_of", counting)
    assert grade_command(request_for_many) == 0
    assert len(held) == MANY
    assert 1 <= max(held) <= 2  # the one that has just come, and the one before it
    again = grade_command(replace(request_for_many, resume=True))
    assert again == 0
    assert max(held) <= 2
    gc.collect()
    assert results_in_memory() == before


def test_the_end_of_a_run_reads_no_result_and_a_rerun_each_at_most_once(
    request_for_many: GradeRequest, reads: Counter[str]
) -> None:
    assert grade_command(request_for_many) == 0
    assert not reads
    page = (request_for_many.out / "index.html").read_text()
    assert grade_command(replace(request_for_many, resume=True)) == 0
    assert max(reads.values(), default=0) <= 1
    assert (request_for_many.out / "index.html").read_text() == page
    assert page.count("s23") > 0
