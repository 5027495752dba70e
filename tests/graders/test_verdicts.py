"""Every way in which a check can end has its verdict, and a sentence for the student."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.assignment import Assignment
from graders.result import COMPUTED, Result, ShownTensor
from tests.graders.conftest import Grade, check, verdicts

ALL_PASSED = dict.fromkeys(
    [
        "test_total",
        "test_pool_example",
        "test_pool",
        "test_pool_without_padding",
        "test_total_leaves_its_input",
        "test_shift_gradient",
    ],
    "passed",
)


def with_total(model: str, body: str) -> str:
    """The model solution with another body of `total`."""
    return model.replace("    return x.sum()\n", body)


def test_passed(grade: Grade, model: str) -> None:
    result = grade(model)
    assert verdicts(result) == ALL_PASSED
    assert (result.points, result.max_points, result.pending_points) == (10, 10, 0)
    assert all(one.message == "" and one.hint is None and one.counterexample is None for one in result.checks)
    assert (result.load.path, result.load.kind, result.load.cells) == ("tiny.py", "script", ())


def test_failed_shows_call_inputs_got_and_expected(grade: Grade, model: str) -> None:
    result = grade(with_total(model, "    return x.sum() + 1\n"))
    found = check(result, "test_total")
    assert (found.verdict, found.points, found.hint) == ("failed", 0, "Add every element.")
    assert found.message.startswith("Wrong values in the total: the largest difference is 1; ")
    example = found.counterexample
    assert example is not None
    assert example.call == "total(x)"
    assert [named.name for named in example.inputs] == ["x"]
    assert isinstance(example.inputs[0].value, ShownTensor)
    assert example.inputs[0].value.shape == (2, 3)
    assert isinstance(example.got, ShownTensor)
    assert isinstance(example.expected, ShownTensor)
    assert example.got.values[0] == pytest.approx(float(example.expected.values[0]) + 1)
    assert example.got.marked == (0,)
    assert example.largest_difference == pytest.approx(1)


def test_error_keeps_the_students_own_lines(grade: Grade, model: str) -> None:
    result = grade(with_total(model, "    return x.summ()\n"))
    found = check(result, "test_total")
    assert found.verdict == "error"
    assert found.message.startswith("AttributeError: 'Tensor' object has no attribute 'summ'")
    assert found.error is not None
    assert found.error.type == "AttributeError"
    assert any("tiny.py, line 5" in text for text in found.error.traceback)
    assert found.counterexample is not None
    assert found.counterexample.call == "total(x)"


def test_what_a_starter_raises_is_not_written_yet(grade: Grade, model: str) -> None:
    found = check(grade(with_total(model, "    raise NotImplementedError\n")), "test_total")
    assert (found.verdict, found.message) == ("error", "Not written yet: NotImplementedError")
    assert found.counterexample is None
    assert found.compared is None


@pytest.mark.parametrize(
    ("body", "verdict", "said"),
    [
        ("    while True: pass\n", "timeout", "stopped: it had not finished after 1 second"),
        ("    return torch.ones(10**8, dtype=torch.float64).add(1).sum()\n", "memory", "memory"),
        ("    while True: print('x' * 10000)\n", "output", "it printed more than 1 MiB"),
        ("    import os; os._exit(3)\n", "crashed", "exit status 3"),
        ("    import ctypes; ctypes.string_at(0)\n", "crashed", "SIGSEGV"),
    ],
)
def test_what_ends_a_guest_costs_the_check_that_ran_and_no_other(
    grade: Grade, model: str, body: str, verdict: str, said: str
) -> None:
    result = grade(with_total(model, body))
    expected = ALL_PASSED | {"test_total": verdict, "test_total_leaves_its_input": verdict}
    assert verdicts(result) == expected
    assert said in check(result, "test_total").message


def test_missing_asks_did_you_mean(grade: Grade, model: str) -> None:
    result = grade(model.replace("def total", "def totall"))
    found = check(result, "test_total")
    assert (found.verdict, found.message) == (
        "missing",
        "`total` was not found in tiny.py. Did you mean `totall`?",
    )
    assert (found.hint, found.counterexample) == (None, None)
    assert check(result, "test_pool").verdict == "passed"


def test_skipped_names_the_check_that_did_not_pass(grade: Grade, model: str) -> None:
    result = grade(model.replace(".sum(dim=1) / real.sum(dim=1)", ".sum(dim=1)"))
    found = check(result, "test_pool_without_padding")
    assert (found.verdict, found.points, found.seconds) == ("skipped", 0, 0)
    assert found.message.endswith("The pooled vector is the mean over real tokens only.")
    assert found.requires == ("tiny/test_pool",)
    assert found.visibility == "hidden"


def test_a_plain_assert_is_taken_at_its_word(grade: Grade, model: str) -> None:
    result = grade(model.replace("return x + self.by", "return x.detach() + self.by"))
    found = check(result, "test_shift_gradient")
    assert (found.verdict, found.message) == ("failed", "No gradient reaches the input.")


def test_a_fault_of_the_test_is_broken_and_costs_nothing(grade: Grade, careless: Assignment) -> None:
    result = grade("def pair(x): return x, x", careless)
    for name, fault in {
        "test_at_fault": "TypeError: a fault of the test",
        "test_at_fault_at_once": "ValueError: a fault of the test",
        "test_spoils_its_case": "changes its case in place",
    }.items():
        found = check(result, name)
        assert found.verdict == "broken"
        assert found.internal is not None
        assert fault in found.internal
        assert fault not in found.message
        assert found.hint is None
    assert check(result, "test_after_the_fault").verdict == "passed"
    assert (result.points, result.pending_points) == (5, 3)


def test_the_time_for_all_checks_together_runs_out(grade: Grade, model: str, tiny: Assignment) -> None:
    short = replace(tiny, limits=tiny.limits | {"submission_seconds": 0.5})
    result = grade(with_total(model, "    while True: pass\n"), short)
    found = verdicts(result)
    assert found["test_total"] == "timeout"
    assert found["test_pool"] == "timeout"
    assert check(result, "test_pool").message == (
        "The 0.5 seconds for all checks together were used up by earlier ones."
    )


def test_output_time_and_memory_are_kept_for_each_check(grade: Grade, model: str) -> None:
    result = grade(
        with_total(
            model, "    print('summing\\x1b[31m')\n    big = torch.ones(4 * 10**6)\n    return x.sum()\n"
        )
    )
    found = check(result, "test_total")
    assert found.stdout == "summing\n"
    assert found.seconds > 0
    assert found.peak_memory_bytes is not None
    assert check(result, "test_pool_example").stdout == ""


def test_what_was_printed_while_loading_belongs_to_loading(grade: Grade, model: str) -> None:
    result = grade(model + "\nprint('hello')\nimport sys\nprint('oh', file=sys.stderr)\n")
    assert (result.load.stdout, result.load.stderr) == ("hello\n", "oh\n")
    assert all(one.stdout == "" for one in result.checks)


def test_nothing_that_a_student_writes_reaches_the_result_as_it_is(grade: Grade, model: str) -> None:
    result = grade(with_total(model, "    raise ValueError('\\x1b]0;t\\x07<b>\\u202e\\x00' + 'x' * 10**6)\n"))
    found = check(result, "test_total")
    assert found.error is not None
    assert found.error.message.startswith("<b>xxx")
    assert len(found.error.message) <= 1000
    assert len(found.message) <= 500
    assert len(result.model_dump_json()) < 50_000
    assert isinstance(
        Result.model_validate_json(result.model_dump_json(exclude=COMPUTED)),
        Result,
    )
