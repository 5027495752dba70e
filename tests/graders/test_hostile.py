"""What a submission does to the harness's own code in its process costs it points, and nobody else."""

from __future__ import annotations

import gc
import math
import resource
import time

import pytest
import torch

from graders.calls import MOST_ANSWER_BYTES, Call, Record
from graders.guests import Guests, TimeUsedUp
from graders.result import COMPUTED, Result, Status
from sandbox import Limits, Program, Sandbox
from sandbox.errors import GuestGone
from tests.graders.conftest import Grade, verdicts

REFUSING = """
import sys
Refusal = getattr(sys.modules["inside.{module}"], "{name}")

def total(*args, **kwargs):
    raise Refusal("x")

shift = pool = total
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("modules", "NoHidden"),
        ("serving", "HandleNotFound"),
        ("serving", "NameNotFound"),
        ("values", "TooLarge"),
        ("wire", "FrameError"),
    ],
)
def test_a_refusal_that_the_student_raises_is_no_fault_of_ours(grade: Grade, module: str, name: str) -> None:
    result = grade(REFUSING.format(module=module, name=name))
    assert "broken" not in verdicts(result).values()
    assert (result.points, result.pending_points) == (0, 0)


@pytest.mark.parametrize("seconds", ["float('inf')", "float('nan')", "-1e308", "1e308"])
def test_loading_is_timed_by_our_clock(grade: Grade, model: str, seconds: str) -> None:
    lie = (
        "import sys\n"
        "questions = sys.modules['inside.questions']\n"
        "loading = sys.modules['inside.loading'].Loading\n"
        f"loading.answer = lambda self, number: questions.Loaded(number, [], [], {seconds})\n"
    )
    result = grade(lie + model)
    assert result.status is Status.GRADED
    assert 0 < result.load.seconds < 5
    assert Result.model_validate_json(result.model_dump_json(exclude=COMPUTED))
    assert math.isfinite(result.load.seconds)


DEAF = """
import os, time
def total(x): os._exit(0)
while True:
    try: time.sleep(1000)
    except BaseException: pass
"""


def ask_until_it_ends(guests: Guests) -> None:
    guests.begin_check()
    with pytest.raises(GuestGone):
        guests.find("total", "module").call("total", torch.zeros(1))
    guests.end_check()


def test_the_time_of_a_load_that_dies_is_the_submissions_own(sandbox: Sandbox) -> None:
    program = Program("script", "tiny.py", (DEAF,))
    with (
        sandbox.attach(Limits(load_seconds=0.3)) as quick,
        Guests(quick, {}, (program,), seconds=1.0) as guests,
    ):
        ask_until_it_ends(guests)  # the first level is killed after 1.5 times its limit and a second
        with pytest.raises(TimeUsedUp):
            guests.begin_check()


def test_what_could_not_be_run_is_not_waited_for_again(sandbox: Sandbox) -> None:
    program = Program("script", "tiny.py", (DEAF,))
    with (
        sandbox.attach(Limits(load_seconds=0.3)) as quick,
        Guests(quick, {}, (program,), seconds=60.0) as guests,
    ):
        started = time.monotonic()
        for _ in range(10):
            ask_until_it_ends(guests)
        assert time.monotonic() - started < 10  # ten loads that are killed would take 15 s and more


def test_large_answers_are_not_kept(grade: Grade) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = "import torch\ndef total(*x): return torch.ones(12_000_000, dtype=torch.float64)\nshift = pool = total\n"  # noqa: E501
    grade(large)
    gc.collect()
    # An answer has 96 MB; reading one and comparing it takes a few times that, keeping several far more.
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 600 * 2**20


def test_a_record_forgets_what_is_too_large_to_keep() -> None:
    record = Record()
    small, large = Call("f", (), {}), Call("f", (), {})
    record.begin(small)
    record.end(small, torch.zeros(8))
    record.begin(large)
    record.end(large, torch.zeros(MOST_ANSWER_BYTES, dtype=torch.uint8).repeat(2))
    assert [call.answered for call in record.calls] == [True, False]
    assert record.answers == 2


def test_modules_that_no_check_needs_are_released(sandbox: Sandbox) -> None:
    from graders.student import Student

    source = "import torch\nmade = 0\ndef build(n): return torch.nn.Linear(n, n)\n"
    with (
        sandbox.attach(Limits(memory_bytes=256 * 2**20, check_seconds=10)) as roomy,
        Guests(roomy, {}, (Program("script", "tiny.py", (source,)),), seconds=60.0) as guests,
    ):
        guests.begin_check()
        student = Student(lambda name: guests.find(name, "module"), torch.float64, 1, Record())
        for _ in range(12):  # 36 MB each
            student.build("build", 1500)
        assert guests.find("build", "module").alive
