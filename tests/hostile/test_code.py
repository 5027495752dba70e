"""Every attempt of `code/`, graded between two honest submissions and beside a canary, on every backend."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.result import Result
from reports import student_html
from tests.conformance.backends import EVERY, ISOLATING
from tests.hostile.attempts import Attempt, matches, on_backends
from tests.hostile.canary import HostCanary
from tests.hostile.conftest import Bench, stable
from tests.reports.page_tags import read_page


@pytest.mark.parametrize(("backend", "attempt"), on_backends("code", ISOLATING, EVERY), ids=str)
def test_attempt(
    benches: Callable[[str], Bench], host_canary: HostCanary, backend: str, attempt: Attempt, tmp_path: Path
) -> None:
    path = tmp_path / f"{attempt.exercise}.py"
    shutil.copy(attempt.path, path)
    check(benches(backend), host_canary, attempt, path)


def check(bench: Bench, host_canary: HostCanary, attempt: Attempt, path: Path) -> Result:
    """Grade it between honest work, and look at everything that it must not have changed."""
    honest, alone, canary = bench.honest(attempt.exercise), bench.alone(attempt.exercise), bench.canary()
    held = descriptors()
    before, result, after = bench.run(attempt.exercise, honest, path, honest)
    disturbed = canary.disturbed()
    if disturbed:
        bench.bury_canary()
    is_as_said(attempt.on(bench.backend), result)
    assert stable(before) == stable(after) == stable(alone)
    assert disturbed == host_canary.disturbed() == []
    document = result.model_dump_json()
    assert canary.secret not in document
    assert host_canary.secret not in document
    assert descriptors() <= held + 2  # those of the guest that is made ahead
    return result


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def is_as_said(attempt: Attempt, result: Result) -> None:
    """The status, the verdict of each check, the points, and every sentence."""
    found = [check.verdict.value for check in result.checks]
    said = list(dict.fromkeys(check.message for check in result.checks if check.message))
    said += [note for note in (*result.load.notes, result.load.message) if note and note not in said]
    told = f"{found}, {result.points:g} points\n" + "\n".join(f"# says: {one}" for one in said)
    told += f"\nprinted: {result.load.stdout!r} {[check.stdout for check in result.checks if check.stdout]}"
    told += f"\ninternal: {result.internal or [check.internal for check in result.checks if check.internal]}"
    assert result.status.value == attempt.status, told
    if attempt.status == "graded":
        assert len(found) == len(attempt.verdicts), told
        for verdict, wanted in zip(found, attempt.verdicts, strict=True):
            assert verdict in wanted.split("|"), told
        passed = sum(check.max_points for check in result.checks if check.verdict == "passed")
        assert result.points == (passed if attempt.points is None else attempt.points), told
        assert result.pending_points == 0, told
    wanted_says = [one for one in attempt.says if one]
    ours = ("Not run, since it needs ", "Nothing that could be run was handed in.")
    expected = [one for one in said if not one.startswith(ours)]
    for one in expected:
        assert any(matches(pattern, one) for pattern in wanted_says), f"not expected: {one}\n{told}"
    for pattern in set(wanted_says) - {"…"}:
        assert any(matches(pattern, one) for one in said), f"missing: {pattern}\n{told}"
    page = read_page(student_html(result)).text
    for one in expected:
        plain = " ".join(one.replace("`", "").split())
        assert not plain.isascii() or plain[:200] in page, f"not on the page: {plain}"
