"""A wall clock that jumps: limits are counted by the monotonic clock, and pages say nothing impossible."""

from __future__ import annotations

import ast
import json
import re
import time
from pathlib import Path

import pytest

from sandbox import GuestTimeout, Limits, Program, Sandbox
from tests.faults.cohorts import Place
from tests.faults.conftest import Undisturbed

ROOT = Path(__file__).resolve().parents[2]
# Put where Python looks for it when it starts: each look at the wall clock is some hours from the last.
_JUMPING = """
import datetime
import importlib.machinery
import itertools
import sys
import time

_hours = itertools.cycle((0, 9, -7, 26, -30))
_time = time.time


def jumping():
    return _time() + 3600 * next(_hours)


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(jumping(), tz)


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in ("graders.session", "graders.cohort"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            module.datetime = Jumping

        spec.loader.exec_module = exec_module
        return spec


time.time = jumping
sys.meta_path.insert(0, Finder())
"""


def test_a_run_under_a_jumping_clock_comes_to_the_same(
    attest_command: list[str], here: Place, undisturbed: Undisturbed
) -> None:
    (here.folder / "sitecustomize.py").write_text(_JUMPING)
    status, said = here.run(attest_command, PYTHONPATH=f"{here.folder}:{ROOT}")
    assert status == 0, said
    assert here.whole() == undisturbed.results
    documents = [json.loads(path.read_text()) for path in (here.out / "results").glob("*.json")]
    assert any(one["finished_at"] < one["started_at"] for one in documents), "the clock has jumped"
    assert "-" not in said.partition("graded in ")[2].partition("\n")[0], "it took a negative time"
    pages = [path.read_text() for path in here.out.glob("reports/*.md")]
    assert not any(re.search(r"-\d+(\.\d+)? s", page) for page in pages)


def test_a_limit_is_by_the_monotonic_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = iter(range(0, 10**9, 3600))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    limits = Limits(check_seconds=0.6, load_seconds=20.0)
    source = "import time\ndef f(seconds):\n    time.sleep(seconds)\n    return 1\n"
    with Sandbox(limits=limits) as sandbox, sandbox.guest({}, Program("script", "a.py", (source,))) as guest:
        guest.start_check()
        assert guest.call("f", 0.0) == 1
        guest.start_check()
        began = time.monotonic()
        with pytest.raises(GuestTimeout):
            guest.call("f", 60.0)
        assert 0.5 < time.monotonic() - began < 10


# No other clock tells the age of a file; one that looks old too soon is swept only where no row names it.
BY_FILE_TIMES = {"attest/portal/handing_in/keeping.py"}
# LTI compares clocks: what is signed says when it counts, and scores are stamped with the time of day.
BY_THE_CLOCKS_OF_LMSS = {
    "attest/lti/service.py",
    "attest/lti/tokens.py",
    "attest/portal/lms/choosing.py",
    "attest/portal/lms/launches.py",
    "attest/portal/lms/platforms.py",
    "attest/portal/lms/reaching.py",
    "attest/portal/lms/registering.py",
    "attest/portal/outbox/sending.py",
}


@pytest.mark.parametrize("package", ["attest", "graders", "reports", "sandbox"])
def test_nothing_is_counted_by_the_wall_clock(package: str) -> None:
    """It is looked at for what people read (`datetime.now`), and nothing is worked out of that."""
    wrong = []
    for path in sorted((ROOT / package).rglob("*.py")):
        if str(path.relative_to(ROOT)) in BY_FILE_TIMES | BY_THE_CLOCKS_OF_LMSS:
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("time.time", "time.time_ns"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
            if isinstance(node, ast.BinOp) and "datetime.now" in ast.unparse(node):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: a time worked out of the wall clock")
    assert not wrong
